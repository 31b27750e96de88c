import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import type { Pair } from './rows.ts'

const rankOf = (role: string) =>
  sql`array_position(array['learner', 'assistant', 'instructor'], ${sql.ref(role)})`

/**
 * Gives both accounts the roles of before a merge, as far as nothing was decided about them since: a role that was taken away or lowered
 * since comes back to neither, and one that was changed stays with the account that it was changed for.
 */
export async function giveBackRoles(write: Write, mergeId: number, pair: Pair): Promise<void> {
  await giveReopened(write, mergeId, pair)
  await giveStayed(write, mergeId, pair)
  // A claim of a provider returns only with its role.
  await sql`
    delete from account_merge_rows as noted
    where merge_id = ${mergeId} and table_name = 'claimed_roles' and not exists (select from course_members as member
      where member.course_id = (content ->> 'course_id')::bigint and member.person_id = (content ->> 'person_id')::bigint
        and member.role = content ->> 'role')`.execute(write)
}

const noticedRoles = sql`account_merge_rows as noted cross join lateral jsonb_populate_record(null::course_members, noted.content) as noticed`

/** The account that was closed: its own role, or the lower one that the account that stayed has by now; none where that has none. */
async function giveReopened(write: Write, mergeId: number, { fromId, intoId }: Pair): Promise<void> {
  await sql`
    insert into course_members
    select given.* from ${noticedRoles}
    join course_members as stays on stays.course_id = noticed.course_id and stays.person_id = ${intoId}
    cross join lateral jsonb_populate_record(noticed, jsonb_build_object('role',
      case when ${rankOf('stays.role')} < ${rankOf('noticed.role')} then stays.role else noticed.role end)) as given
    where noted.merge_id = ${mergeId} and noted.table_name = 'course_members' and noted.is_before and noticed.person_id = ${fromId}
    on conflict do nothing`.execute(write)
}

/** The account that stayed: its role of before, where it still has the one that the merge gave it. */
async function giveStayed(write: Write, mergeId: number, { intoId }: Pair): Promise<void> {
  const { rows } = await sql<{ courseId: number }>`
    delete from course_members as kept using ${noticedRoles}
    where noted.merge_id = ${mergeId} and noted.table_name = 'course_members' and not noted.is_before
      and kept.course_id = noticed.course_id and kept.person_id = noticed.person_id and noticed.person_id = ${intoId}
      and kept.role = noticed.role
    returning kept.course_id as "courseId"`.execute(write)
  await sql`
    insert into course_members
    select noticed.* from ${noticedRoles}
    where noted.merge_id = ${mergeId} and noted.table_name = 'course_members' and noted.is_before
      and noticed.person_id = ${intoId} and noticed.course_id = any(${rows.map(({ courseId }) => courseId)}::bigint[])`.execute(
    write,
  )
}
