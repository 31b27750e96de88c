import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { JSONWebKeySet, JWTPayload } from 'jose'
import { sql } from 'kysely'
import { z } from 'zod'
import type { Database, Write } from '../../database/schema.ts'
import { sweep, term } from '../../database/terms.ts'
import { operation } from '../../kernel/operation.ts'
import { Problem } from '../../kernel/problem.ts'
import { openForm } from '../../web/forms/door.ts'
import { page } from '../../web/page.ts'
import { queryParam } from '../../web/params.ts'
import { hashToken } from '../../web/tokens.ts'
import { isStorableSubject, sidOf } from './claims.ts'
import type { ProviderClients } from './clients.ts'
import { ProviderFailure } from './failure.ts'
import { CLOCK_TOLERANCE, SIGNING_ALGORITHMS } from './openid.ts'
import type { Provider, UsableProvider } from './provider.ts'
import { providerOf } from './provider-list.ts'

/** The input of a provider's word that sessions are over, which no form sends: its token was checked. */
class Ending {
  readonly provider: Provider
  readonly token: LogoutToken

  constructor(provider: Provider, token: LogoutToken) {
    this.provider = provider
    this.token = token
  }
}

/**
 * Ends sessions that a provider says are over, and half sign-ins.
 * @throws Problem 'invalid': the token was used before
 */
const sessionsEndByProvider = operation({
  name: 'end-sessions-by-provider',
  right: 'visit',
  isForSuspended: true,
  find: async () => null,
  limit: 'signIn',
  input: { ending: z.instanceof(Ending) },
  events: ['provider-ended-sessions'],
  async run({ write, input, note }) {
    const { provider, token } = input.ending
    if (!(await isFirst(write, provider, token))) throw new Problem('invalid')
    const ended = await endSessionsBy(write, provider, token)
    note('provider-ended-sessions', { ...ended, provider: provider.name })
  },
})

async function isFirst(write: Write, { name }: Provider, { id }: LogoutToken): Promise<boolean> {
  const seen = await write
    .insertInto('logout_tokens')
    .values({ token_hash: hashToken(`${name} ${id}`) })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return seen.numInsertedOrUpdatedRows === 1n
}

/** @returns whose sessions ended, and how many */
async function endSessionsBy(
  write: Write,
  { id: providerId }: Provider,
  { issuer, subject, sid }: LogoutToken,
) {
  const links = write
    .selectFrom('linked_accounts')
    .select('id')
    .where('provider_id', '=', providerId)
    .where('issuer', '=', issuer)
    .$if(subject !== null, (query) => query.where('subject', '=', subject ?? ''))
  await write
    .deleteFrom('half_sign_ins')
    .where('linked_account_id', 'in', links)
    .$if(sid !== null, (query) => query.where('provider_sid', '=', sid))
    .execute()
  const ended = await write
    .deleteFrom('sessions')
    .where('token_hash', 'in', (query) =>
      query
        .selectFrom('provider_sessions')
        .select('token_hash')
        .where('linked_account_id', 'in', links)
        .$if(sid !== null, (of) => of.where('sid', '=', sid)),
    )
    .returning('person_id')
    .execute()
  return { personId: ended[0]?.person_id ?? null, count: ended.length }
}

/** Names of tokens that are too old to be used again. */
export function sweepLogoutTokens(db: Database): Promise<number> {
  return sweep(db, 'logout_tokens', sql`seen_at < now() - ${term('logoutTokens')}`)
}

const EVENT = 'http://schemas.openid.net/event/backchannel-logout'
/** Beyond which age a token without an end is void, as names of tokens are not remembered for ever. */
const MAX_AGE = '10 minutes'

/**
 * The checked claims of a logout token; null: it is none.
 * @throws ProviderFailure when the keys can't be read
 */
async function readLogoutToken(clients: ProviderClients, provider: UsableProvider, token: string) {
  const { decodeJwt, createLocalJWKSet, jwtVerify } = await import('jose')
  // Anything that isn't such a token causes no request for keys.
  if (tokenOf(attempt(() => decodeJwt(token))) === null) return null
  const known = await clients.keysOf(provider)
  if (known === null) return null
  try {
    const { payload } = await jwtVerify(token, createLocalJWKSet(known.keys as JSONWebKeySet), {
      issuer: known.issuer,
      audience: provider.connection.clientId,
      algorithms: SIGNING_ALGORITHMS,
      clockTolerance: CLOCK_TOLERANCE,
      requiredClaims: ['iat', 'jti', 'events'],
      maxTokenAge: MAX_AGE,
    })
    return tokenOf(payload)
  } catch {
    return null
  }
}

function attempt(read: () => JWTPayload): JWTPayload {
  try {
    return read()
  } catch {
    return {}
  }
}

/**
 * The sessions that a provider ends: OpenID Connect Back-Channel Logout 1.0, section 2.4. `id`: the token's
 * name, which counts once. `subject` null: those of the session there, whoever had it; `sid` null: all
 * sessions of the subject. An ID token has a nonce and no such event: one can't stand for the other.
 */
function tokenOf({ iss, jti, sub, sid, events, nonce }: JWTPayload) {
  const hasEvent = typeof events === 'object' && events !== null && EVENT in events
  if (!hasEvent || nonce !== undefined || iss === undefined || jti === undefined || jti === '') return null
  const subject = sub !== undefined && isStorableSubject(sub) ? sub : null
  const session = sidOf(sid)
  if (subject === null && session === null) return null
  return { issuer: iss, id: jti, subject, sid: session }
}
type LogoutToken = NonNullable<ReturnType<typeof tokenOf>>

/** Characters of a token: they have a few hundred. */
const MAX_TOKEN_LENGTH = 16_384

/** Signing out, where a provider is concerned: it ends sessions here, and people are led to end theirs there. */
export function registerProviderLogout(app: FastifyInstance, clients: ProviderClients): void {
  // A provider posts there by itself: the token's signature says whose sessions may end.
  openForm(app, '/sign-in/with/:provider/logout', sessionsEndByProvider, {
    isFromAnywhere: true,
    actor: () => null,
    key: () => null,
    async input(request, reply) {
      reply.header('cache-control', 'no-store')
      const provider = await providerOf(request)
      const sent = tokenIn(request)
      const token = sent === null ? null : await readLogoutToken(clients, provider, sent)
      if (token === null) throw new Problem('invalid')
      return { ending: new Ending(provider, token) }
    },
    done: () => '/',
    shown: (_, reply) => reply.code(200).send(''),
    failed: (_, reply, error) => refusalOf(reply, error),
  })

  app.get('/sign-out', async (request, reply) => {
    const provider = await app.providers.find(queryParam(request, 'with') ?? '')
    const leadsTo = `${app.config.baseUrl}/`
    const address =
      provider === null || request.person !== null ? null : await clients.signOutAddress(provider, leadsTo)
    if (provider === null || address === null) return reply.redirect('/', 303)
    return showSignedOut(request, reply, provider.label, address)
  })
}

export const showSignedOut = page(
  'accounts/signed-out',
  {},
  ({ t }, label: string, thereAddress: string) => ({
    title: t('accounts.with.signedOut.title'),
    label,
    thereAddress,
  }),
)

/** What a provider is told: section 2.8 of its specification. null: nothing that is about its token */
function refusalOf(reply: FastifyReply, error: unknown): Promise<unknown> | null {
  const isInvalid = error instanceof Problem && error.key === 'invalid'
  if (isInvalid) return Promise.resolve(reply.code(400).send({ error: 'invalid_request' }))
  // Its keys can't be read just now: a provider that tries again later is heard.
  if (error instanceof ProviderFailure)
    return Promise.resolve(
      reply.code(503).header('retry-after', '60').send({ error: 'temporarily_unavailable' }),
    )
  return null
}

function tokenIn({ body }: FastifyRequest): string | null {
  const sent = typeof body === 'object' && body !== null && 'logout_token' in body ? body.logout_token : null
  return typeof sent === 'string' && sent.length <= MAX_TOKEN_LENGTH ? sent : null
}
