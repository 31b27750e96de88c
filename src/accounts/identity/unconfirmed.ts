import type { FastifyBaseLogger } from 'fastify'
import { sql } from 'kysely'
import { referenceIn } from '../../database/failures.ts'
import type { Database, Write } from '../../database/schema.ts'
import { isNamed } from '../../database/table.ts'
import { MAX_SWEPT_ROWS, term } from '../../database/terms.ts'

/**
 * Deletes accounts whose address nobody confirmed in a year, and of which nobody would miss anything: a stranger may have typed it. One
 * that was signed in once, or was invited, imported or merged, may have written, decided or begun something. Uses index
 * people_unconfirmed, and of each column the index that its foreign key needs.
 * @param log is told of each that can't be deleted and keeps no other one, by the foreign key, whose name has the table and the column
 */
export async function sweepUnconfirmed(db: Database, log?: FastifyBaseLogger): Promise<number> {
  let [deleted, last] = [0, 0]
  for (;;) {
    const ids = await db.transaction().execute(async (write) => {
      const found = await unconfirmedAfter(write, last)
      for (const id of found) deleted += await deleteUnreferred(write, id, log)
      return found
    })
    last = ids.at(-1) ?? last
    if (ids.length < MAX_SWEPT_ROWS) return deleted
  }
}

async function unconfirmedAfter(write: Write, last: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from people
    where email is not null and email_confirmed_at is null and joined_at < now() - ${term('unconfirmed')}
      and not is_admin and left_at is null and id > ${last} and not ${isNamed('people')}
    order by id limit ${MAX_SWEPT_ROWS} for update skip locked`.execute(write)
  return rows.map(({ id }) => id)
}

async function deleteUnreferred(write: Write, personId: number, log?: FastifyBaseLogger): Promise<0 | 1> {
  await sql`savepoint account`.execute(write)
  try {
    await write.deleteFrom('people').where('id', '=', personId).execute()
    await sql`release savepoint account`.execute(write)
    return 1
  } catch (error) {
    const constraint = referenceIn(error)
    if (constraint === null) throw error
    await sql`rollback to savepoint account`.execute(write)
    log?.warn({ personId, constraint }, 'an unconfirmed account is referred to, and stays')
    return 0
  }
}

/** Tables with a way in beside the one that opens the account. */
const OTHER_WAYS: readonly string[] = ['passkeys', 'api_tokens']

/**
 * Whether an account, a row of `people`, is one that a provider opens and that its owner would not miss: no other way in, no confirmed
 * address, nothing written, and no role but what the provider's claims gave.
 */
export const isEmpty = () => sql<boolean>`(
  not people.is_admin and people.left_at is null and people.password_hash is null and people.email_confirmed_at is null
  and not ${isNamed('people', ({ as, isMissed, table }) => (as === 'author' && isMissed) || OTHER_WAYS.includes(table))}
  and (select count(*) from linked_accounts as own where own.person_id = people.id) = 1
  and not exists (select from course_members as member where member.person_id = people.id and not exists (
    select from claimed_roles as claimed where claimed.person_id = people.id and claimed.course_id = member.course_id)))`
