import { sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import type { Pair } from './rows.ts'

export type MergeRefusal = 'merging.same' | 'merging.own' | 'merging.lastAdmin' | 'merging.unconfirmed'

/** Why two accounts can't be merged this way round, as the key of a message; null: they can. */
export async function whyNot(
  db: Database | Write,
  { fromId, intoId }: Pair,
  actorId: number | null,
): Promise<MergeRefusal | null> {
  if (fromId === intoId) return 'merging.same'
  if (fromId === actorId) return 'merging.own'
  const admins = await twoAdmins(db)
  if (admins.length === 1 && admins[0] === fromId) return 'merging.lastAdmin'
  return (await isUnproven(db, { fromId, intoId })) ? 'merging.unconfirmed' : null
}

/**
 * Whether the account that stays may be a stranger's who typed an address, and would get what belongs to someone who is known: all that
 * an account with a confirmed address or none (a provider named its owner) has, and roles that wait for no address any more.
 * Joining a public course is for everyone.
 */
async function isUnproven(db: Database | Write, { fromId, intoId }: Pair): Promise<boolean> {
  const { rows } = await sql`
    select from people as stays join people as closes on closes.id = ${fromId}
    where stays.id = ${intoId} and stays.email is not null and stays.email_confirmed_at is null
      and (closes.email is null or closes.email_confirmed_at is not null
        or exists (select from course_members as member join courses as course on course.id = member.course_id
          where member.person_id = closes.id and (member.role <> 'learner' or not course.is_public)
            and not exists (select from course_members as own where own.person_id = stays.id
              and own.course_id = member.course_id and own.role in (member.role, 'instructor'))))`.execute(db)
  return rows.length > 0
}

/** The first two admins. */
async function twoAdmins(db: Database | Write): Promise<number[]> {
  const admins = await db.selectFrom('people').select('id').where('is_admin', '=', true).limit(2).execute()
  return admins.map(({ id }) => id)
}
