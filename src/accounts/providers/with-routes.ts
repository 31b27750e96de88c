import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { notFound } from '../../kernel/problem.ts'
import { requireRight } from '../../kernel/require-right.ts'
import { page } from '../../web/page.ts'
import { idParam, queryOf, queryParam } from '../../web/params.ts'
import { localPath, signInWithPath } from '../../web/paths.ts'
import { logSerializers } from '../../web/transport/log-serializers.ts'
import { type Arrival, arrive, letInBy, requireDomain } from './arrival.ts'
import { accountTold, hasAskedSince, type ProviderAccount, wantedClaims } from './claims.ts'
import type { ProviderClients } from './clients.ts'
import { ProviderFailure, showFailure } from './failure.ts'
import { findLinked } from './linked-accounts.ts'
import type { Provider, UsableProvider } from './provider.ts'
import { providerOf } from './provider-list.ts'
import {
  beginSignIn,
  browserToken,
  keepUnlinked,
  knownBrowserToken,
  linkPath,
  pathOfSignIn,
  type Returned,
  returnFrom,
  triedBy,
} from './sign-ins.ts'
import { isBesideAnother } from './trust.ts'

/** Leaving for a provider, and coming back. The way back works once, and only in the browser that left. */
export function registerWithProviders(app: FastifyInstance, clients: ProviderClients): void {
  const config = { limit: 'signIn' } as const

  app.get('/sign-in/with/:provider', { config }, async (request, reply) => {
    const provider = await providerOf(request)
    const path = localPath(queryParam(request, 'next'))
    const isAgain = queryParam(request, 'again') === '1'
    return leaveFor(request, reply, clients, provider, { path, isAgain, isTrial: false })
  })

  app.get('/sign-in/with/:provider/return', { config, logSerializers }, async (request, reply) => {
    const state = queryParam(request, 'state')
    reply.header('cache-control', 'private, no-store')
    const tried = await triedBy(app.db, state)
    if (tried !== null && state !== null)
      return comeBackFromTrial(request, reply, clients, { providerId: tried, state })
    const provider = await providerOf(request)
    try {
      return await comeBack(request, reply, clients, provider, state)
    } catch (error) {
      const path = await pathOfSignIn(app.db, state)
      // The Back button after it worked: they are in already.
      const isIn = error instanceof ProviderFailure && error.reason === 'used' && request.person !== null
      return isIn ? reply.redirect(path, 303) : showFailure(request, reply, provider, path, error)
    }
  })

  // To try a provider, which may be off: the admin who began it sees what came, and nobody is signed in.
  app.get('/admin/sign-in/:id/claims', { config }, async (request, reply) => {
    const provider = await triedProvider(request, idParam(request, 'id'))
    const path = pathOf(provider)
    return leaveFor(request, reply, clients, provider, { path, isAgain: true, isTrial: true })
  })
}

/** Leads to a provider. @param kind of sign-in: where it leads, whether the provider is to ask who they are, and whether an admin tries it */
async function leaveFor(
  request: FastifyRequest,
  reply: FastifyReply,
  clients: ProviderClients,
  provider: UsableProvider,
  kind: { readonly path: string; readonly isAgain: boolean; readonly isTrial: boolean },
) {
  const { db } = request.server
  reply.header('cache-control', 'private, no-store')
  try {
    const [browser, personId] = [browserToken(request, reply), request.person?.id ?? null]
    const begun = await beginSignIn(db, { providerId: provider.id, browser, personId, ...kind })
    const address = await clients.signInAddress(provider, returnOf(request, provider), begun, kind.isAgain)
    return reply.redirect(address, 303)
  } catch (error) {
    return showFailure(request, reply, provider, kind.path, error)
  }
}

/** @throws ProviderFailure */
async function comeBack(
  request: FastifyRequest,
  reply: FastifyReply,
  clients: ProviderClients,
  provider: UsableProvider,
  state: string | null,
): Promise<FastifyReply> {
  if (state === null) throw new ProviderFailure('expired')
  const { begun, told } = await whoReturned(request, clients, provider, state, wantedClaims(provider))
  if (begun.isAgain && !hasAskedSince(told.claims, begun.begunAt)) throw new ProviderFailure('answer')
  const account = accountTold(provider, told)
  requireDomain(provider, account)
  const { path } = begun
  const arrival: Arrival = (await isForLinking(request, provider, begun, account))
    ? { outcome: 'unlinked' }
    : await arrive(request, provider, account, path, told.claims)
  if (arrival.outcome !== 'unlinked') return letInBy(request, reply, provider, arrival, path, told.claims)
  await keepUnlinked(request.server.db, state, account)
  return reply.redirect(linkPath(provider, state), 303)
}

/** What a provider says of who came back with this state. @throws ProviderFailure */
async function whoReturned(
  request: FastifyRequest,
  clients: ProviderClients,
  provider: UsableProvider,
  state: string,
  wanted: readonly string[] | null,
) {
  const tab = { providerId: provider.id, browser: knownBrowserToken(request), state }
  const begun = await returnFrom(request.server.db, tab)
  const returned = new URL(`${returnOf(request, provider)}?${queryOf(request.url)}`)
  return { begun, told: await clients.whoReturned(provider, returned, begun, wanted) }
}

/** Whether somebody is signed in, or was when they left, and nobody has linked this account. @throws ProviderFailure when somebody else has */
async function isForLinking(
  { server: { db }, person }: FastifyRequest,
  provider: UsableProvider,
  { personId: leftAs }: Returned,
  account: ProviderAccount,
): Promise<boolean> {
  if (person === null && leftAs === null) return false
  const linked = await findLinked(db, account)
  if (linked === null || person === null || linked.personId === person.id) return linked === null
  const isOffered =
    person.email === account.email && (await isBesideAnother(db, provider, linked.personId, account))
  if (!isOffered) throw new ProviderFailure('taken')
  return true
}

/** The way back of a trial. @param state of a trial of this provider */
async function comeBackFromTrial(
  request: FastifyRequest,
  reply: FastifyReply,
  clients: ProviderClients,
  { providerId, state }: { readonly providerId: number; readonly state: string },
): Promise<FastifyReply | string> {
  const provider = await triedProvider(request, providerId)
  try {
    const { told } = await whoReturned(request, clients, provider, state, null)
    return await showClaims(request, reply, provider, told.claims)
  } catch (error) {
    return showFailure(request, reply, provider, pathOf(provider), error)
  }
}

/** @throws Problem 403 for everybody but admins, 404 for one that isn't set up */
async function triedProvider(request: FastifyRequest, id: number) {
  requireRight(request.person, 'decide-settings', null)
  const provider = (await request.server.providers.all()).find((one) => one.id === id)
  if (provider === undefined || provider.connection === null) throw notFound()
  return { ...provider, connection: provider.connection }
}

const pathOf = ({ id }: Pick<Provider, 'id'>) => `/admin/sign-in/${id}`

const returnOf = ({ server }: FastifyRequest, { name }: Pick<Provider, 'name'>) =>
  `${server.config.baseUrl}${signInWithPath(name)}/return`

export const showClaims = page('accounts/with-claims', {}, ({ t }, provider: Provider, claims: object) => ({
  title: t('providers.claims.title', { provider: provider.label }),
  label: provider.label,
  claims: Object.entries(claims).map(([name, value]) => ({
    name,
    value: typeof value === 'string' ? value : JSON.stringify(value),
  })),
  backPath: pathOf(provider),
}))
