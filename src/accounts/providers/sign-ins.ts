import { randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import { apart, holder, table } from '../../database/table.ts'
import { term } from '../../database/terms.ts'
import { cookieOf } from '../../web/cookies.ts'
import { pathWith, signInWithPath } from '../../web/paths.ts'
import { hashToken, newToken } from '../../web/tokens.ts'
import { type ProviderAccount, providerAccount } from './claims.ts'
import { ProviderFailure } from './failure.ts'
import type { Provider } from './provider.ts'

const LIFE = term('providerSignIns')
/** How long who came back waits to be linked, or for an account. */
const WAITS = sql`interval '5 minutes'`
/** How long after they came back that is done without asking the provider again: somebody else may sit there by then. */
const RECENTLY = sql`interval '1 minute'`

export const providerSignIns = table(
  'provider_sign_ins',
  { person_id: apart(holder) },
  { expired: sql`begun_at < now() - ${LIFE}` },
)

/** Notes that a browser leaves for a provider. Only the hash of the state is kept. */
export async function beginSignIn(
  db: Database,
  {
    providerId,
    browser,
    path,
    personId,
    isAgain,
    isTrial = false,
  }: {
    readonly providerId: number
    readonly browser: string
    readonly path: string
    /** Who is signed in; null: nobody. */
    readonly personId: number | null
    /** The provider is told to ask who they are. */
    readonly isAgain: boolean
    readonly isTrial?: boolean
  },
) {
  const checks = { state: newToken(), nonce: newToken(), verifier: randomBytes(48).toString('base64url') }
  await db
    .insertInto('provider_sign_ins')
    .values({
      token_hash: hashToken(checks.state),
      browser_hash: hashToken(browser),
      provider_id: providerId,
      nonce: checks.nonce,
      verifier: checks.verifier,
      path,
      person_id: personId,
      is_again: isAgain,
      is_trial: isTrial,
    })
    .execute()
  return { ...checks, path }
}

/**
 * Takes the sign-in of a state, once: of two that come back at the same time one gets it.
 * @param browser null: the browser has no cookie of ours
 * @throws ProviderFailure `expired`, `browser`, `used`
 */
export async function returnFrom(
  db: Database,
  { providerId, browser, state }: Waiting & { readonly state: string },
) {
  const row = await db
    .selectFrom('provider_sign_ins')
    .select(['browser_hash', 'nonce', 'verifier', 'path'])
    .select(['begun_at as begunAt', 'is_again as isAgain', 'person_id as personId'])
    .where('token_hash', '=', hashToken(state))
    .where('provider_id', '=', providerId)
    .where('begun_at', '>', sql<Date>`now() - ${LIFE}`)
    .executeTakeFirst()
  if (row === undefined) throw new ProviderFailure('expired')
  if (browser === null || !row.browser_hash.equals(hashToken(browser))) throw new ProviderFailure('browser')
  const taken = await db
    .updateTable('provider_sign_ins')
    .set({ returned_at: sql<Date>`now()` })
    .where('token_hash', '=', hashToken(state))
    .where('returned_at', 'is', null)
    .executeTakeFirst()
  if (taken.numUpdatedRows !== 1n) throw new ProviderFailure('used')
  const { browser_hash: _, ...begun } = row
  return { state, ...begun }
}
/** A sign-in that somebody came back from. `personId`: who was signed in when it began; null: nobody. */
export type Returned = Awaited<ReturnType<typeof returnFrom>>

/** The provider that an admin tries by the sign-in of this state; null: it is no trial. */
export async function triedBy(db: Database, state: string | null): Promise<number | null> {
  const row = await db
    .selectFrom('provider_sign_ins')
    .select('provider_id')
    .where('token_hash', '=', hashToken(state ?? ''))
    .where('is_trial', '=', true)
    .executeTakeFirst()
  return row?.provider_id ?? null
}

/** The page that a sign-in leads to, for the pages that say why it failed; '/': unknown. */
export async function pathOfSignIn(db: Database, state: string | null): Promise<string> {
  const row = await db
    .selectFrom('provider_sign_ins')
    .select('path')
    .where('token_hash', '=', hashToken(state ?? ''))
    .executeTakeFirst()
  return row?.path ?? '/'
}

/** Keeps who came back and has no account here, for this browser to link it or to make one. */
export async function keepUnlinked(db: Database, state: string, account: ProviderAccount): Promise<void> {
  await db
    .updateTable('provider_sign_ins')
    .set({ unlinked: JSON.stringify(account) })
    .where('token_hash', '=', hashToken(state))
    .execute()
}

/** The page on which an account waits. Its address is the tab's own: it works in the browser that came back, with the state it came with. */
export const linkPath = ({ name }: Pick<Provider, 'name'>, state: string | null) =>
  pathWith(`${signInWithPath(name)}/link`, { state })

/** A tab that waits: by the cookie of its browser, and the state that it came back with, which its address has. */
export interface Waiting {
  readonly providerId: number
  /** null: the browser has left for no provider. */
  readonly browser: string | null
  readonly state: string | null
}

/**
 * An account that came back to this tab and waits to be linked, and the page it was going to. `isRecent`: they came back just now.
 * `leftAs`: over whose session they left; null: nobody was signed in.
 */
export async function findUnlinked(db: Database | Write, { providerId, browser, state }: Waiting) {
  if (browser === null || state === null) return null
  const row = await db
    .selectFrom('provider_sign_ins')
    .select(['unlinked', 'path'])
    .select([
      sql<boolean>`returned_at > now() - ${RECENTLY}`.as('isRecent'),
      sql<number | null>`case when signed_in_at is null then person_id end`.as('leftAs'),
    ])
    .where('token_hash', '=', hashToken(state))
    .where('browser_hash', '=', hashToken(browser))
    .where('provider_id', '=', providerId)
    .where('unlinked', 'is not', null)
    .where('returned_at', '>', sql<Date>`now() - ${WAITS}`)
    .executeTakeFirst()
  if (row === undefined) return null
  const { unlinked, ...waiting } = row
  const parsed = providerAccount.safeParse(unlinked)
  return parsed.success ? { account: parsed.data, state, ...waiting } : null
}

export type Unlinked = NonNullable<Awaited<ReturnType<typeof findUnlinked>>>

/**
 * Nobody waits in this browser any more: its next user is perhaps another person.
 * @param except who signs in on the page of an account that waits, and the state in its address: that account
 *   stays, for this person alone
 */
export async function forgetUnlinked(
  db: Database | Write,
  browser: string,
  except: { readonly state: string; readonly personId: number } | null = null,
): Promise<void> {
  const isOwn =
    except === null
      ? sql<boolean>`false`
      : sql<boolean>`(token_hash = ${hashToken(except.state)} and coalesce(person_id, ${except.personId}) = ${except.personId})`
  await db
    .updateTable('provider_sign_ins')
    .set({ unlinked: null })
    .where('browser_hash', '=', hashToken(browser))
    .where('unlinked', 'is not', null)
    .where(({ not }) => not(isOwn))
    .execute()
  if (except === null) return
  await db
    .updateTable('provider_sign_ins')
    .set({ person_id: except.personId, signed_in_at: sql<Date>`now()` })
    .where('browser_hash', '=', hashToken(browser))
    .where(isOwn)
    .where('person_id', 'is', null)
    .execute()
}

/** As long as provider_sign_ins are kept, in seconds. */
const COOKIE_LIFE_SECONDS = 60 * 60
/** Lax: the browser sends it with the way back, which comes from the provider's site. */
const COOKIE = 'sign-in-with'

/** Identifies the browser that leaves for a provider; a new value where it has none. */
export function browserToken(request: FastifyRequest, reply: FastifyReply): string {
  const { name, options } = cookieOf(request.server.config, COOKIE)
  const token = knownBrowserToken(request) ?? newToken()
  reply.setCookie(name, token, { ...options, maxAge: COOKIE_LIFE_SECONDS })
  return token
}

/** null: this browser has left for no provider, or long ago, or keeps no cookies. */
export function knownBrowserToken(request: FastifyRequest): string | null {
  const token = request.cookies[cookieOf(request.server.config, COOKIE).name]
  return token === undefined || !/^[\w-]{43}$/.test(token) ? null : token
}
