import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { forbidden, notFound } from '../../kernel/problem.ts'
import { may } from '../../kernel/rights/rights.ts'
import { translatorFor } from '../../web/language.ts'
import { idParam, queryParam } from '../../web/params.ts'
import { localPath, signInWithPath } from '../../web/paths.ts'
import { logSerializers } from '../../web/transport/log-serializers.ts'
import { arrive, letInBy, requireDomain } from './arrival.ts'
import { accountTold, hasAskedSince, type ProviderAccount, wantedClaims } from './claims.ts'
import type { ProviderClients } from './clients.ts'
import { ProviderFailure, showFailure } from './failure.ts'
import { findLinked } from './linked-accounts.ts'
import type { Provider, UsableProvider } from './provider.ts'
import { providerOf } from './provider-of.ts'
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
  registerTrials(app, clients)

  app.get('/sign-in/with/:provider', { config }, async (request, reply) => {
    const provider = await providerOf(request)
    const path = localPath(queryParam(request, 'next'))
    const again = queryParam(request, 'again') === '1'
    reply.header('cache-control', 'private, no-store')
    try {
      const begun = await beginSignIn(app.db, {
        providerId: provider.id,
        browser: browserToken(request, reply),
        path,
        personId: request.person?.id ?? null,
        isAgain: again,
      })
      const redirectUri = `${app.config.baseUrl}${signInWithPath(provider.name)}/return`
      return reply.redirect(await clients.signInAddress(provider, redirectUri, begun, again), 303)
    } catch (error) {
      return showFailure(request, reply, provider, path, error)
    }
  })

  app.get('/sign-in/with/:provider/return', { config, logSerializers }, async (request, reply) => {
    const state = queryParam(request, 'state')
    reply.header('cache-control', 'private, no-store')
    const tried = await triedBy(app.db, state)
    if (tried !== null && state !== null)
      return showClaims(request, reply, clients, { providerId: tried, state })
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
}

/** @throws ProviderFailure */
async function comeBack(
  request: FastifyRequest,
  reply: FastifyReply,
  clients: ProviderClients,
  provider: UsableProvider,
  state: string | null,
): Promise<FastifyReply> {
  const { db, config } = request.server
  if (state === null) throw new ProviderFailure('expired')
  const begun = await returnFrom(db, { providerId: provider.id, browser: knownBrowserToken(request), state })
  const query = request.url.slice(request.url.indexOf('?') + 1)
  const returned = new URL(`${config.baseUrl}${signInWithPath(provider.name)}/return?${query}`)
  const told = await clients.whoReturned(provider, returned, begun, wantedClaims(provider))
  if (begun.isAgain && !hasAskedSince(told.claims, begun.begunAt)) throw new ProviderFailure('answer')
  const account = accountTold(provider, told)
  requireDomain(provider, account)
  if (await isForLinking(request, provider, begun, account)) {
    await keepUnlinked(db, state, account)
    return reply.redirect(linkPath(provider, state), 303)
  }
  const arrival = await arrive(request, provider, account, { path: begun.path, claims: told.claims })
  if (arrival.outcome === 'unlinked') {
    await keepUnlinked(db, state, account)
    return reply.redirect(linkPath(provider, state), 303)
  }
  return letInBy(request, reply, provider, { arrival, path: begun.path, claims: told.claims })
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

interface ClaimsPage {
  /** Of the provider. */
  readonly label: string
  /** As they came: text, or JSON. */
  readonly claims: readonly { readonly name: string; readonly value: string }[]
  readonly backPath: string
}

/** Signing in to try a provider, which may be off: the admin who began it sees what came, and nobody is signed in. */
function registerTrials(app: FastifyInstance, clients: ProviderClients): void {
  app.get('/admin/sign-in/:id/claims', { config: { limit: 'signIn' } }, async (request, reply) => {
    requireDecider(request)
    const provider = await triedProvider(request, idParam(request, 'id'))
    reply.header('cache-control', 'private, no-store')
    try {
      const begun = await beginSignIn(app.db, {
        providerId: provider.id,
        browser: browserToken(request, reply),
        path: pathOf(provider),
        personId: request.person?.id ?? null,
        isAgain: true,
        isTrial: true,
      })
      return reply.redirect(
        await clients.signInAddress(provider, returnOf(request, provider), begun, true),
        303,
      )
    } catch (error) {
      return showFailure(request, reply, provider, pathOf(provider), error)
    }
  })
}

/** The way back of a trial. @param state of a trial of this provider */
async function showClaims(
  request: FastifyRequest,
  reply: FastifyReply,
  clients: ProviderClients,
  { providerId, state }: { readonly providerId: number; readonly state: string },
): Promise<FastifyReply | string> {
  requireDecider(request)
  const provider = await triedProvider(request, providerId)
  const t = translatorFor(request)
  try {
    const { db } = request.server
    const begun = await returnFrom(db, { providerId, browser: knownBrowserToken(request), state })
    const query = request.url.slice(request.url.indexOf('?') + 1)
    const returned = new URL(`${returnOf(request, provider)}?${query}`)
    const { claims } = await clients.whoReturned(provider, returned, begun, null)
    return await reply.page<ClaimsPage>('accounts/with-claims', {
      title: t('providers.claims.title', { provider: provider.label }),
      label: provider.label,
      claims: Object.entries(claims).map(([name, value]) => ({
        name,
        value: typeof value === 'string' ? value : JSON.stringify(value),
      })),
      backPath: pathOf(provider),
    })
  } catch (error) {
    return showFailure(request, reply, provider, pathOf(provider), error)
  }
}

/** @throws Problem 403 for everybody but admins */
function requireDecider(request: FastifyRequest): void {
  if (!may(request.requirePerson(), 'decide-settings')) throw forbidden()
}

/** @throws Problem 404 for one that isn't set up */
async function triedProvider({ server }: FastifyRequest, id: number) {
  const provider = (await server.providers.all()).find((one) => one.id === id)
  if (provider === undefined || provider.connection === null) throw notFound()
  return { ...provider, connection: provider.connection }
}

const pathOf = ({ id }: Pick<Provider, 'id'>) => `/admin/sign-in/${id}`

const returnOf = ({ server }: FastifyRequest, { name }: Pick<Provider, 'name'>) =>
  `${server.config.baseUrl}${signInWithPath(name)}/return`
