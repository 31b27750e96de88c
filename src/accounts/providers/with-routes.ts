import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { logSerializers } from '../../web/log-serializers.ts'
import { queryParam } from '../../web/params.ts'
import { localPath, signInWithPath } from '../../web/paths.ts'
import { requireDomain } from './arrival.ts'
import { browserToken, knownBrowserToken } from './browser-cookie.ts'
import { accountTold, hasAskedSince, wantedClaims } from './claims.ts'
import type { ProviderClients } from './clients.ts'
import { arrive, letInBy } from './entry.ts'
import { ProviderFailure } from './failure.ts'
import { showFailure } from './failure-page.ts'
import { findLinked } from './linked-accounts.ts'
import type { UsableProvider } from './provider.ts'
import type { ProviderAccount } from './provider-account.ts'
import { providerOf } from './provider-of.ts'
import {
  beginSignIn,
  keepUnlinked,
  linkPath,
  pathOfSignIn,
  type Returned,
  returnFrom,
  triedBy,
} from './sign-ins.ts'
import { registerTrials, showClaims } from './trial.ts'
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
