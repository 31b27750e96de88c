import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import { sweep } from '../../database/sweep.ts'
import { term } from '../../database/terms.ts'
import { hashToken, newToken } from '../../web/tokens.ts'
import { ProviderFailure } from './failure.ts'
import type { Checks } from './openid.ts'
import { type ProviderAccount, providerAccount } from './provider-account.ts'

const LIFE = term('providerSignIns')

/** A sign-in that somebody left for, and where it leads. */
export interface Begun extends Checks {
  /** A path of ours. */
  readonly path: string
}

/** Notes that a browser leaves for a provider. Only the hash of the state is kept. */
export async function beginSignIn(
  db: Database,
  {
    providerId,
    browser,
    path,
    personId,
    isTrial = false,
  }: {
    readonly providerId: number
    readonly browser: string
    readonly path: string
    /** Who is signed in; null: nobody. */
    readonly personId: number | null
    readonly isTrial?: boolean
  },
): Promise<Begun> {
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
  {
    providerId,
    browser,
    state,
  }: { readonly providerId: number; readonly browser: string | null; readonly state: string },
): Promise<Begun> {
  const row = await db
    .selectFrom('provider_sign_ins')
    .select(['browser_hash', 'nonce', 'verifier', 'path'])
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
  return { state, nonce: row.nonce, verifier: row.verifier, path: row.path }
}

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

/** Keeps for an hour who came back and has no account here, for this browser to link it or to make one. */
export async function keepUnlinked(
  write: Write | Database,
  state: string,
  account: ProviderAccount,
): Promise<void> {
  await write
    .updateTable('provider_sign_ins')
    .set({ unlinked: JSON.stringify(account) })
    .where('token_hash', '=', hashToken(state))
    .execute()
}

/** The account that came back to this browser last and waits to be linked, and the page it was going to. */
export interface Unlinked {
  readonly account: ProviderAccount
  readonly path: string
}

export async function findUnlinked(
  db: Database | Write,
  providerId: number,
  browser: string | null,
): Promise<Unlinked | null> {
  if (browser === null) return null
  const row = await db
    .selectFrom('provider_sign_ins')
    .select(['unlinked', 'path'])
    .where('browser_hash', '=', hashToken(browser))
    .where('provider_id', '=', providerId)
    .where('unlinked', 'is not', null)
    .where('begun_at', '>', sql<Date>`now() - ${LIFE}`)
    .orderBy('returned_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  const parsed = providerAccount.safeParse(row?.unlinked)
  return row === undefined || !parsed.success ? null : { account: parsed.data, path: row.path }
}

/** Nobody waits to be linked in this browser any more. */
export async function forgetUnlinked(write: Write, providerId: number, browser: string): Promise<void> {
  await write
    .updateTable('provider_sign_ins')
    .set({ unlinked: null })
    .where('browser_hash', '=', hashToken(browser))
    .where('provider_id', '=', providerId)
    .execute()
}

export function sweepProviderSignIns(db: Database): Promise<number> {
  return sweep(db, 'provider_sign_ins', sql`begun_at < now() - ${LIFE}`)
}
