import { type RawBuilder, sql } from 'kysely'
import { UNDO_DAYS } from '../../accounts/deletion/leave.ts'
import type { Database } from '../../database/schema.ts'
import { haveBothStandIns } from './posts.ts'
import type { Pair } from './rows.ts'

export const MOVED_KINDS = [
  'questions',
  'posts',
  'votes',
  'courses',
  'follows',
  'measures',
  'drafts',
] as const
export type MovedKind = (typeof MOVED_KINDS)[number]

/** How many of a kind either account has, and the one that stays has afterwards. */
export interface MovedCount {
  readonly kind: MovedKind
  readonly from: number
  readonly into: number
  readonly after: number
  /** What both have, of which one stays. */
  readonly doubles: number
  /** Votes for posts that are one's own then. */
  readonly own: number
}

export async function countMoved(db: Database, pair: Pair): Promise<MovedCount[]> {
  const kinds = MOVED_KINDS.map(
    (kind) => sql`select ${kind} as kind, counted.* from (${COUNTS[kind](pair)}) as counted`,
  )
  const { rows } = await sql<Omit<MovedCount, 'after'>>`${sql.join(kinds, sql` union all `)}`.execute(db)
  const byKind = new Map(rows.map((row) => [row.kind, row]))
  return MOVED_KINDS.map((kind) => {
    const { from, into, doubles, own } = byKind.get(kind) ?? { from: 0, into: 0, doubles: 0, own: 0 }
    return { kind, from, into, doubles, own, after: from + into - doubles - own }
  })
}

/** Anonymous posts that stay with the closed account: questions in which both are anonymous. */
export async function countStaying(db: Database, pair: Pair): Promise<number> {
  const posts = (['questions', 'answers', 'replies'] as const).map(
    (
      table,
    ) => sql`select 1 from ${sql.table(table)} as post where post.author_id = ${pair.fromId} and post.is_anonymous
      and ${haveBothStandIns(table === 'questions' ? sql`post.id` : sql`post.question_id`, pair)}`,
  )
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from (${sql.join(posts, sql` union all `)}) as staying`.execute(db)
  return rows[0]?.count ?? 0
}

type Counting = (pair: Pair) => RawBuilder<unknown>

const COUNTS: Readonly<Record<MovedKind, Counting>> = {
  questions: (pair) => plain(pair, sql`select author_id as person from questions where deleted_at is null`),
  posts: (pair) =>
    plain(
      pair,
      sql`select author_id as person from answers where deleted_at is null
        union all select author_id from replies where deleted_at is null`,
    ),
  votes: (pair) =>
    sql`select count(*) filter (where not is_into)::integer as from, count(*) filter (where is_into)::integer as into,
      (count(*) filter (where not is_own) - count(distinct thing) filter (where not is_own))::integer as doubles,
      count(*) filter (where is_own)::integer as own
    from (${votesOf(pair, 'question')} union all ${votesOf(pair, 'answer')}) as vote`,
  courses: (pair) =>
    withDoubles(pair, sql`select person_id as person, course_id::text as thing from course_members`),
  follows: (pair) =>
    withDoubles(
      pair,
      sql`select person_id as person, 'q' || question_id as thing from question_follows
        union all select person_id, 'c' || course_id from course_follows
        union all select person_id, 'l' || lecture_id from lecture_follows
        union all select person_id, 't' || tag_id from tag_follows`,
    ),
  measures: (pair) =>
    plain(pair, sql`select person_id as person from measures where ended_at is null and kind <> 'warn'`),
  drafts: (pair) =>
    withDoubles(pair, sql`select person_id as person, place as thing from drafts where fields <> '{}'`),
}

function plain({ fromId, intoId }: Pair, rows: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`select count(*) filter (where person = ${fromId})::integer as from, count(*) filter (where person = ${intoId})::integer as into,
    0 as doubles, 0 as own from (${rows}) as row where person in (${fromId}, ${intoId})`
}

function withDoubles({ fromId, intoId }: Pair, rows: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`select count(*) filter (where person = ${fromId})::integer as from, count(*) filter (where person = ${intoId})::integer as into,
    (count(*) - count(distinct thing))::integer as doubles, 0 as own from (${rows}) as row where person in (${fromId}, ${intoId})`
}

function votesOf({ fromId, intoId }: Pair, kind: 'question' | 'answer'): RawBuilder<unknown> {
  return sql`select vote.person_id = ${intoId} as is_into, ${sql.lit(kind)} || post.id as thing,
    post.author_id in (${fromId}, ${intoId}) and post.author_id <> vote.person_id as is_own
  from ${sql.table(`${kind}_votes`)} as vote join ${sql.table(`${kind}s`)} as post on post.id = vote.${sql.ref(`${kind}_id`)}
  where vote.person_id in (${fromId}, ${intoId})`
}

export interface MergingAccount {
  readonly id: number
  readonly displayName: string
  readonly email: string | null
  readonly lastSeenAt: Date | null
}

/** An open account by its number or address; undefined: there is none. */
export async function findMergingAccount(db: Database, typed: string): Promise<MergingAccount | undefined> {
  const called = typed.trim().toLowerCase()
  const id = /^[1-9]\d{0,14}$/.test(called) ? Number(called) : 0
  const { rows } = await sql<MergingAccount>`
    select id, display_name as "displayName", email,
      (select max(last_seen_at) from sessions where sessions.person_id = people.id) as "lastSeenAt"
    from people where (id = ${id} or email = ${called}) and left_at is null limit 1`.execute(db)
  return rows[0]
}

export interface UndoableMerge {
  readonly fromId: number
  readonly name: string
  readonly mergedAt: Date
  readonly undoableUntil: Date
}

/** Accounts merged into one, that can be taken apart again, newest first. Index account_merges_into. */
export async function listUndoable(db: Database, intoId: number): Promise<UndoableMerge[]> {
  const { rows } = await sql<UndoableMerge>`
    select from_id as "fromId", former ->> 'display_name' as name, merged_at as "mergedAt",
      merged_at + ${UNDO_DAYS} * interval '1 day' as "undoableUntil"
    from account_merges where into_id = ${intoId} and former is not null and merged_at >= now() - ${UNDO_DAYS} * interval '1 day'
    order by id desc limit 20`.execute(db)
  return rows
}
