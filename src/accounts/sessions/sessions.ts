import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import { apart, holder, missed, table } from '../../database/table.ts'
import { term } from '../../database/terms.ts'
import { type Person, personFields } from '../../kernel/rights/person.ts'
import { hashToken, newToken } from '../../web/tokens.ts'
import type { Access, LinkedAccess } from '../identity/access.ts'
import { lockPerson } from '../identity/lock.ts'
import { provingWay, type Way } from '../identity/ways.ts'

/** A session ends after 30 days without a visit, and 180 days after signing in whatever happens. */
export const IDLE = term('sessions')
export const WHOLE = term('sessionsWhole')

export const sessionTables = [
  table(
    'sessions',
    { person_id: apart(missed(holder)) },
    { expired: sql`last_seen_at < now() - ${IDLE} or signed_in_at < now() - ${WHOLE}` },
  ),
  // After sessions, whose end it remembers. No browser keeps a cookie longer than they can last.
  table('ended_sessions', { person_id: holder }, { expired: sql`ended_at < now() - ${WHOLE}` }),
]

/** How exactly last_seen_at is kept: a write per person and quarter of an hour, not per page. */
const SEEN_STEP = sql`interval '15 minutes'`

/**
 * Begins the session of somebody who showed who they are.
 * @param ways in which they did, at once
 * @returns its token; null when what they showed is void since
 */
export async function beginSessionOf(db: Database, access: Access, userAgent: string, ways: readonly Way[]) {
  const { personId, accessVersion } = access
  return db.transaction().execute(async (write) => {
    if (access.by !== undefined && !(await lockOpenProvider(write, access.by))) return null
    const person = await lockPerson(write, personId)
    if (person?.accessVersion !== accessVersion) return null
    const token = await beginSession(write, personId, userAgent, ways)
    if (access.by === undefined) return token
    const { linkedAccountId: linked_account_id, sid, hasShownFactor: has_factor } = access.by
    await write
      .insertInto('provider_sessions')
      .values({ token_hash: hashToken(token), linked_account_id, sid, has_factor })
      .execute()
    return token
  })
}

/** Begins a session. @returns the token for the cookie; only its hash is kept */
export async function beginSession(
  db: Database | Write,
  personId: number,
  userAgent: string,
  ways: readonly Way[] = [],
): Promise<string> {
  const token = newToken()
  const proof = provingWay(ways)
  await db
    .insertInto('sessions')
    .values({
      token_hash: hashToken(token),
      person_id: personId,
      user_agent: userAgent.slice(0, 300),
      proof,
      proved_at: proof === null ? null : sql<Date>`now()`,
    })
    .execute()
  return token
}

/** Whether the provider of a linked account is on, and stays so until the transaction ends. Providers are locked before people. */
async function lockOpenProvider(write: Write, { linkedAccountId }: LinkedAccess): Promise<boolean> {
  const row = await write
    .selectFrom('linked_accounts as linked')
    .innerJoin('identity_providers as provider', 'provider.id', 'linked.provider_id')
    .select('provider.is_on')
    .where('linked.id', '=', linkedAccountId)
    .forShare('provider')
    .executeTakeFirst()
  return row?.is_on === true
}

export async function endSession(db: Database, token: string): Promise<void> {
  await db.deleteFrom('sessions').where('token_hash', '=', hashToken(token)).execute()
}

/** Ends a person's sessions everywhere, except the one whose token is given: after a change of password. */
export async function endOtherSessions(db: Database | Write, personId: number, token: string | null) {
  await db
    .deleteFrom('sessions')
    .where('person_id', '=', personId)
    .$if(token !== null, (query) => query.where('token_hash', '!=', hashToken(token ?? '')))
    .execute()
}

/**
 * The people whom sessions belong to, with their roles, without those that have ended or never were. Notes
 * that they were here.
 * @param hashes of the sessions' tokens, in hexadecimal digits, as those of the result
 */
export async function peopleOfSessions(db: Database, hashes: readonly string[]) {
  const found = await findSessions(
    db,
    hashes.map((hash) => Buffer.from(hash, 'hex')),
  )
  const stale = found.filter(({ isStale }) => isStale).map(({ person }) => person.session)
  if (stale.length > 0) await markSeen(db, stale)
  return new Map(found.map(({ person }) => [person.session.toString('hex'), person]))
}

/** The person of a session by the hash of its token, for what is sent to somebody who is not here. */
export async function personOfSessionHash(db: Database, hash: Buffer): Promise<Person | null> {
  const [found] = await findSessions(db, [hash])
  return found?.person ?? null
}

async function findSessions(db: Database, hashes: readonly Buffer[]) {
  const rows = await db
    .selectFrom('sessions as session')
    .innerJoin('people as person', 'person.id', 'session.person_id')
    .select(personFields(sql`session.token_hash`))
    .select('session.token_hash as session')
    .select(sql<boolean>`session.last_seen_at < now() - ${SEEN_STEP}`.as('isStale'))
    .where('session.token_hash', '=', sql<Buffer>`any(array(select unnest(${hashes}::bytea[])))`)
    .where('session.last_seen_at', '>', sql<Date>`now() - ${IDLE}`)
    .where('session.signed_in_at', '>', sql<Date>`now() - ${WHOLE}`)
    .execute()
  // A copy: what was read is a part of 8 KB, all of which would be kept with it.
  return rows.map(({ isStale, session, ...person }) => ({
    person: { ...person, session: Buffer.from(new Uint8Array(session).buffer) },
    isStale,
  }))
}

/** Locked in the order of their hashes: several processes write at the same time. */
async function markSeen(db: Database, hashes: readonly Buffer[]): Promise<void> {
  await sql`
    with seen as materialized (
      select token_hash from sessions where token_hash = any(${hashes}::bytea[]) order by token_hash for no key update)
    update sessions set last_seen_at = now() from seen where sessions.token_hash = seen.token_hash`.execute(
    db,
  )
}

/** Whose session a token was, after its end, which a trigger remembers; null: there was none, or long ago */
export async function formerPersonOf(db: Database, token: string): Promise<number | null> {
  const hash = hashToken(token)
  const row = await db
    .selectFrom('ended_sessions')
    .select('person_id')
    .where('token_hash', '=', hash)
    // Over by time, and not swept yet.
    .unionAll(db.selectFrom('sessions').select('person_id').where('token_hash', '=', hash))
    .executeTakeFirst()
  return row?.person_id ?? null
}

/** The name of the provider that a session began with; null: with none, or one that is gone. */
export async function providerOfSession(request: FastifyRequest): Promise<string | null> {
  const { db, providers } = request.server
  if ((await providers.usable()).length === 0) return null
  const row = await db
    .selectFrom('provider_sessions as session')
    .innerJoin('linked_accounts as linked', 'linked.id', 'session.linked_account_id')
    .innerJoin('identity_providers as provider', 'provider.id', 'linked.provider_id')
    .select('provider.name')
    .where('session.token_hash', '=', hashToken(request.sessionToken ?? ''))
    .executeTakeFirst()
  return row?.name ?? null
}
