import { type RawBuilder, sql } from 'kysely'
import { squatterOf } from '../../accounts/address/address.ts'
import { UNDO_DAYS } from '../../accounts/deletion/leave.ts'
import type { Write } from '../../database/schema.ts'
import { notFound, refusal } from '../../kernel/problem.ts'
import { returnPendingRoles } from '../../kernel/rights/pending-roles.ts'
import { openWindows } from '../telling/deliveries.ts'
import { FORMER_COLUMNS, invalidateAll, settle } from './merge.ts'
import { restoreDesks, untouchedDesks } from './posts.ts'
import { isOneThing, type MovedColumns, movedColumns, type OwnTable, ownTables, type Pair } from './rows.ts'

/**
 * Takes a merge apart again, of accounts that the caller has locked: what moved goes back, what ended
 * returns. What the account that stayed did since is its own; what was deleted since stays deleted.
 */
export async function undoMerge(write: Write, mergeId: number, pair: Pair): Promise<void> {
  await settle(write)
  const desks = await untouchedDesks(write, mergeId)
  await reopen(write, mergeId, pair.fromId)
  await sql`select set_config('handup.restoring', 'on', true)`.execute(write)
  for (const named of movedColumns())
    for (const column of named.columns) await moveBack(write, mergeId, named, column, pair)
  await restoreProfileCase(write, mergeId, pair)
  const rows = ownTables().filter(({ isRole }) => isRole !== true)
  for (const own of rows) await forgetEnded(write, mergeId, own)
  for (const own of rows.toReversed()) await takeAway(write, mergeId, own)
  await giveBackRoles(write, mergeId, pair)
  await returnPendingRoles(write, mergeId)
  for (const own of rows) await giveBack(write, mergeId, own)
  await renewStandIns(write, pair.intoId)
  await settle(write)
  await restoreDesks(write, mergeId, desks)
  await sql`select set_config('handup.restoring', '', true)`.execute(write)
  await openWindows(write, [pair.fromId, pair.intoId])
  await write.deleteFrom('account_merges').where('id', '=', mergeId).execute()
  await invalidateAll(write)
}

/** Before the posts return: an address given back would else follow questions that were imported. */
async function reopen(write: Write, mergeId: number, fromId: number): Promise<void> {
  await sql`
    update people set (${FORMER_COLUMNS}, left_at) = (
      select ${FORMER_COLUMNS}, null::timestamptz
      from account_merges as merged cross join lateral jsonb_populate_record(null::people, merged.former) as former
      where merged.id = ${mergeId})
    where people.id = ${fromId}`.execute(write)
}

async function moveBack(
  write: Write,
  mergeId: number,
  { name, key }: MovedColumns,
  column: string,
  { fromId, intoId }: Pair,
): Promise<void> {
  const person = sql.ref(column)
  const [only = ''] = key
  const isSame =
    key.length === 1
      ? sql`kept.${sql.ref(only)} = moved.${sql.ref(only)}`
      : sql.join(
          key.map((name) => sql`kept.${sql.ref(name)} is not distinct from moved.${sql.ref(name)}`),
          sql` and `,
        )
  await sql`
    update ${sql.table(name)} as kept set ${person} = ${fromId}
    from account_merge_rows as noted
    cross join lateral jsonb_populate_record(null::${sql.table(name)}, noted.content) as moved
    where noted.merge_id = ${mergeId} and noted.table_name = ${name} and noted.column_name = ${column}
      and ${isSame} and kept.${person} = ${intoId}`.execute(write)
}

async function restoreProfileCase(write: Write, mergeId: number, { fromId, intoId }: Pair): Promise<void> {
  await sql`
    update cases set subject = ${`person-${fromId}`} from account_merge_rows as noted
    where noted.merge_id = ${mergeId} and noted.table_name = 'cases' and noted.column_name = 'subject'
      and cases.id = (noted.content ->> 'id')::bigint and cases.subject = ${`person-${intoId}`}`.execute(
    write,
  )
}

const populated = (table: string) =>
  sql`cross join lateral jsonb_populate_record(null::${sql.table(table)}, noted.content) as noticed`

/** Whether a row `kept` is the one of the alias that the merge brought, and nothing has changed that counts. */
function isStill({ key, keepsChanges }: OwnTable, noticed: 'noticed' | 'theirs'): RawBuilder<boolean> {
  const isSame = key.map(
    (name) => sql`kept.${sql.ref(name)} is not distinct from ${sql.ref(`${noticed}.${name}`)}`,
  )
  const isUnchanged = keepsChanges === true ? sql`kept is not distinct from ${sql.ref(noticed)}` : sql`true`
  return sql<boolean>`(${sql.join(isSame, sql` and `)} and ${isUnchanged})`
}

/** Forgets the rows from before of which what the merge made was ended or changed since: a draft that was posted, a vote taken back. */
async function forgetEnded(write: Write, mergeId: number, own: OwnTable): Promise<void> {
  const type = sql.table(own.name)
  await sql`
    delete from account_merge_rows as noted using account_merge_rows as brought
    where noted.merge_id = ${mergeId} and noted.table_name = ${own.name} and noted.column_name is null and noted.is_before
      and brought.merge_id = ${mergeId} and brought.table_name = ${own.name} and brought.column_name is null and not brought.is_before
      and exists (select from jsonb_populate_record(null::${type}, noted.content) as mine,
        jsonb_populate_record(null::${type}, brought.content) as theirs
        where ${isOneThing(own)} and not exists (select from ${type} as kept where ${isStill(own, 'theirs')}))`.execute(
    write,
  )
}

async function takeAway(write: Write, mergeId: number, own: OwnTable): Promise<void> {
  const { name: table } = own
  const { rows } = await sql<{ content: Content }>`
    delete from ${sql.table(table)} as kept using account_merge_rows as noted ${populated(table)}
    where noted.merge_id = ${mergeId} and noted.table_name = ${table} and noted.column_name is null and not noted.is_before
      and ${isStill(own, 'noticed')}
    returning to_jsonb(kept) as content`.execute(write)
  await countVotes(write, table, rows, -1)
}

/** Inserts the rows that the merge took, where what they are about is still there. */
async function giveBack(
  write: Write,
  mergeId: number,
  { name: table, parents = {} }: OwnTable,
): Promise<void> {
  const areThere = Object.entries(parents).map(
    ([column, parent]) =>
      sql`(noticed.${sql.ref(column)} is null or exists (select from ${sql.table(parent)} as parent where parent.id = noticed.${sql.ref(column)}))`,
  )
  const { rows } = await sql<{ content: Content }>`
    insert into ${sql.table(table)} as kept overriding system value
    select noticed.* from account_merge_rows as noted ${populated(table)}
    where noted.merge_id = ${mergeId} and noted.table_name = ${table} and noted.column_name is null and noted.is_before
      and ${sql.join([sql`true`, ...areThere], sql` and `)}
    on conflict do nothing returning to_jsonb(kept) as content`.execute(write)
  await countVotes(write, table, rows, 1)
}

type Content = Readonly<Record<string, unknown>>

async function countVotes(
  write: Write,
  table: string,
  rows: readonly { readonly content: Content }[],
  change: 1 | -1,
): Promise<void> {
  const post = { question_votes: 'question', answer_votes: 'answer' }[table]
  if (post === undefined || rows.length === 0) return
  const ids = rows.map(({ content }) => Number(content[`${post}_id`]))
  await sql`
    update ${sql.table(`${post}s`)} as post set votes_count = post.votes_count + ${change} * counted.votes
    from (select id, count(*)::integer as votes from unnest(${ids}::bigint[]) as given (id) group by id) as counted
    where post.id = counted.id`.execute(write)
}

/** Who wrote anonymously since, under a stand-in that is the other account's again, gets the next number. */
async function renewStandIns(write: Write, personId: number): Promise<void> {
  await sql`
    insert into stand_ins (question_id, person_id, number)
    select question_id, ${personId}, coalesce((select max(number) from stand_ins where stand_ins.question_id = post.question_id), 0) + 1
    from (select id as question_id from questions where author_id = ${personId} and is_anonymous
      union select question_id from answers where author_id = ${personId} and is_anonymous
      union select question_id from replies where author_id = ${personId} and is_anonymous) as post
    on conflict do nothing`.execute(write)
}

export interface Undoable {
  readonly id: number
  /** The account that has the closed one's address by now and never opened its mailbox: it loses it. null: the address is free. */
  readonly squatterId: number | null
}

/**
 * A merge that can be undone now, of accounts that the caller has locked.
 * @throws Refused that says what is in its way; Problem 'notFound' when there is none, or its account was
 * deleted
 */
export async function findUndoable(write: Write, { fromId, intoId }: Pair): Promise<Undoable> {
  const { rows } = await sql<UndoState>`
    select merged.id, merged.former is null or merged.merged_at < now() - ${UNDO_DAYS} * interval '1 day' as "isOver",
      stays.left_at is not null as "isGone",
      exists (select from account_merges as newer where newer.into_id = merged.into_id and newer.id > merged.id) as "hasNewer",
      exists (select from account_merges as later where later.from_id = merged.into_id) as "isMergedOn",
      merged.former ->> 'email' as email,
      exists (select from people as other where other.email = merged.former ->> 'email') as "hasOther",
      exists (select from account_merge_rows as noted where noted.merge_id = merged.id and (
        noted.table_name = 'linked_accounts' and exists (select from linked_accounts as link
          where link.issuer = noted.content ->> 'issuer' and link.subject = noted.content ->> 'subject')
        or noted.table_name = 'passkeys' and exists (select from passkeys as passkey
          where passkey.credential_id = (noted.content ->> 'credential_id')::bytea))) as "isWayTaken"
    from account_merges as merged join people as stays on stays.id = merged.into_id
    where merged.from_id = ${fromId} and merged.into_id = ${intoId}`.execute(write)
  const [state] = rows
  if (state === undefined || (state.isGone && !state.isMergedOn)) throw notFound()
  const squatterId = state.hasOther && state.email !== null ? await squatterOf(write, state.email) : null
  const found = { ...state, isAddressTaken: state.hasOther && squatterId === null }
  const reason = REASONS.find(([name]) => found[name])
  if (reason !== undefined) throw refusal('from', reason[1])
  return { id: state.id, squatterId }
}

interface UndoState {
  readonly id: number
  readonly isOver: boolean
  readonly isGone: boolean
  readonly hasNewer: boolean
  readonly isMergedOn: boolean
  readonly email: string | null
  readonly hasOther: boolean
  readonly isWayTaken: boolean
}

const REASONS = [
  ['isOver', 'merging.undo.over'],
  ['isMergedOn', 'merging.undo.mergedOn'],
  ['hasNewer', 'merging.undo.newer'],
  ['isAddressTaken', 'merging.undo.addressTaken'],
  ['isWayTaken', 'merging.undo.wayTaken'],
] as const

const rankOf = (role: string) =>
  sql`array_position(array['learner', 'assistant', 'instructor'], ${sql.ref(role)})`

/**
 * Gives both accounts the roles of before a merge, as far as nothing was decided about them since: a role
 * that was taken away or lowered since comes back to neither, and one that was changed stays with the account
 * that it was changed for.
 */
async function giveBackRoles(write: Write, mergeId: number, pair: Pair): Promise<void> {
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
