import { sql } from 'kysely'
import { closedAccount } from '../../accounts/identity/closed-account.ts'
import { endKeys, outdateAccess } from '../../accounts/sessions/endings.ts'
import type { Write } from '../../database/schema.ts'
import { openWindows } from '../telling/deliveries.ts'
import { endOwnVotes, moveColumns, noteDesks, VOTES } from './posts.ts'
import { keepDifferences, moveRows, noteRows, ownTables, type Pair } from './rows.ts'

/** The columns that closing an account changes: they are kept, and an undo gives them back. */
export const FORMER_COLUMNS = sql.join(Object.keys(closedAccount('')).map((column) => sql.ref(column)))

export interface Merging extends Pair {
  readonly actorId: number | null
  /** What the closed account is called from now on. */
  readonly formerName: string
}

/**
 * Merges two accounts that the caller has locked, and the questions they wrote in: everything becomes the account's that stays, the
 * other one is closed. Its address, password and name are kept aside for an undo, as are passkeys and linked sign-ins; its second factor
 * stays with it. Sessions, links, tokens of programs and what mail is answered by end for good.
 * @returns the merge's id
 */
export async function mergeAccounts(write: Write, merging: Merging): Promise<number> {
  const { fromId, intoId, actorId } = merging
  const { id } = await write
    .insertInto('account_merges')
    .values({ from_id: fromId, into_id: intoId, merged_by: actorId, former: await formerOf(write, fromId) })
    .returning('id')
    .executeTakeFirstOrThrow()
  await settle(write)
  await noteKnownIn(write, id, fromId)
  await noteRows(write, id, merging, true)
  await noteDesks(write, id, merging, true)
  await outdateAccess(write, fromId)
  await endKeys(write, 'merge', { personId: fromId, intoId, mergeId: id })
  await endWaiting(write, fromId)
  await endOwnVotes(write, merging)
  await moveColumns(write, id, merging)
  for (const own of ownTables()
    .toReversed()
    .filter(({ ends }) => ends === true))
    await moveRows(write, own, merging)
  for (const own of ownTables().filter(({ ends }) => ends !== true)) await moveRows(write, own, merging)
  await moveAskedInstead(write, id, merging)
  await closeMerged(write, merging)
  await openWindows(write, [intoId])
  await settle(write)
  await noteRows(write, id, merging, false)
  await noteDesks(write, id, merging, false)
  await keepDifferences(write, id)
  await recountVotes(write, id)
  await invalidateAll(write)
  return id
}

/** Has triggers that wait for the end of the transaction done now: what they change is part of it. */
export async function settle(write: Write): Promise<void> {
  await sql`set constraints all immediate`.execute(write)
  await sql`set constraints all deferred`.execute(write)
}

/** Names, roles, counts: what a merge changes is on too many pages to tell them one by one. */
export async function invalidateAll(write: Write): Promise<void> {
  await sql`select invalidate('{"scopes": ["*"]}'::json)`.execute(write)
}

async function formerOf(write: Write, personId: number): Promise<Readonly<Record<string, unknown>>> {
  const { rows } = await sql<{ former: Readonly<Record<string, unknown>> }>`
    select to_jsonb(kept) as former from (select ${FORMER_COLUMNS} from people where id = ${personId}) as kept`.execute(
    write,
  )
  return rows[0]?.former ?? {}
}

/**
 * Notes the courses where the account is known under its name: by a role, or by a post that all readers of
 * the course see. Nobody else is led from its profile to that of the account that it becomes.
 */
async function noteKnownIn(write: Write, mergeId: number, personId: number): Promise<void> {
  const post = sql`post.author_id = ${personId} and post.is_shown and not post.is_anonymous`
  const below = sql`join questions as q on q.id = post.question_id
    where ${post} and q.audience = 'course' and q.held_at is null and q.hidden_at is null`
  await sql`
    insert into account_merge_courses (merge_id, course_id)
    select ${mergeId}, course_id from (
      select course_id from course_members where person_id = ${personId}
      union select course_id from questions as post where ${post} and audience = 'course'
      union select q.course_id from answers as post ${below}
      union select q.course_id from replies as post ${below}) as known`.execute(write)
}

/** Emails that wait are not sent any more, and forms that wait for a sign-in are forgotten. */
async function endWaiting(write: Write, personId: number): Promise<void> {
  await write.deleteFrom('kept_forms').where('person_id', '=', personId).execute()
  await sql`
    with gone as (delete from mails where person_id = ${personId} and sent_at is null returning id)
    delete from jobs using gone where jobs.kind = 'mail' and jobs.key = gone.id::text`.execute(write)
}

/** Words typed before following another question instead: they go with that follow. */
async function moveAskedInstead(write: Write, mergeId: number, { fromId, intoId }: Pair): Promise<void> {
  await sql`
    insert into asked_instead
    select asked.question_id, ${intoId}, asked.lexemes, asked.asked_at
    from account_merge_rows as noted cross join lateral jsonb_populate_record(null::asked_instead, noted.content) as asked
    where noted.merge_id = ${mergeId} and noted.table_name = 'asked_instead' and noted.is_before and asked.person_id = ${fromId}
      and exists (select from question_follows as follow
        where follow.question_id = asked.question_id and follow.person_id = ${intoId} and follow.instead_of_asking)
    on conflict do nothing`.execute(write)
}

async function closeMerged(write: Write, { fromId, formerName }: Merging): Promise<void> {
  await write
    .updateTable('people')
    .set({ ...closedAccount(formerName), left_at: sql`now()` })
    .where('id', '=', fromId)
    .execute()
}

/** Votes that ended are in no count. */
async function recountVotes(write: Write, mergeId: number): Promise<void> {
  for (const [votes, posts, post] of VOTES)
    await sql`
      update ${sql.table(posts)} as post set votes_count = post.votes_count + change.votes
      from (select (content ->> ${post})::bigint as id, sum(case when is_before then -1 else 1 end)::integer as votes
        from account_merge_rows where merge_id = ${mergeId} and table_name = ${votes} group by 1) as change
      where post.id = change.id and change.votes <> 0`.execute(write)
}
