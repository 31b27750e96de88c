import { type RawBuilder, sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import { KINDS, type PostTable } from '../../forum/posts/kinds.ts'
import { canSignIn } from '../../kernel/rights/person.ts'

/** The posts of a unit, of alias `unit`: what stays or goes as one. */
const PARTS: Readonly<Record<PostTable, { answers: RawBuilder<unknown>; replies: RawBuilder<unknown> }>> = {
  questions: { answers: sql`post.question_id = unit.id`, replies: sql`post.question_id = unit.id` },
  answers: {
    answers: sql`post.id = unit.id`,
    replies: sql`post.question_id = unit.question_id and post.answer_id = unit.id`,
  },
  replies: { answers: sql`false`, replies: sql`post.id = unit.id` },
}

const isOwn = (kind: 'answer' | 'reply') => sql`exists (
  select from imported_posts as own where ${sql.ref(`own.${kind}_id`)} = post.id and own.run_id = run.id)`

/** Nobody unclaimed of the same export: an account in which somebody can sign in, or could. */
const isClaimed = (author: string) => sql`not exists (
  select from imported_people as kept join people as account on account.id = kept.person_id
  where kept.person_id = ${sql.ref(author)} and kept.course_id = run.course_id and kept.source = run.source and kept.origin = run.origin
    and not ${canSignIn('account')})`

/** Staff put it there, not the run. */
const IS_IN_FAQ = sql`exists (select from faq_entries as entry where entry.question_id = unit.id
  and not exists (select from imported_things as made where made.faq_entry_id = entry.id and made.run_id = run.id))`

/**
 * Why a unit stays when a run, of alias `run`, is taken back: what people here have added since it was shown. `isClaimed`: somebody is the
 * author now. `isEndorsed`: in the FAQ as well.
 */
function reasonsIn(table: PostTable) {
  const { answers, replies } = PARTS[table]
  const isEndorsedSince = sql`exists (select from answers as post where ${answers} and post.endorsed_at > run.ended_at)`
  const isVoted = sql`exists (select from answers as post join answer_votes as vote on vote.answer_id = post.id where ${answers})`
  return {
    isAnswered: sql`(exists (select from answers as post where ${answers} and post.deleted_at is null and not ${isOwn('answer')})
      or exists (select from replies as post where ${replies} and post.deleted_at is null and not ${isOwn('reply')}))`,
    isVoted:
      table === 'questions'
        ? sql`(exists (select from question_votes as vote where vote.question_id = unit.id) or ${isVoted})`
        : isVoted,
    isEndorsed: table === 'questions' ? sql`(${isEndorsedSince} or ${IS_IN_FAQ})` : isEndorsedSince,
    isClaimed: sql`(${isClaimed('unit.author_id')}
      or exists (select from answers as post where ${answers} and ${isOwn('answer')} and ${isClaimed('post.author_id')})
      or exists (select from replies as post where ${replies} and ${isOwn('reply')} and ${isClaimed('post.author_id')}))`,
  }
}

/** Which of these units stay. */
export async function staying(
  write: Write,
  runId: number,
  table: PostTable,
  ids: readonly number[],
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select unit.id from import_runs as run cross join ${sql.table(table)} as unit
    where run.id = ${runId} and unit.id = any(${ids}::bigint[]) and (${sql.join(Object.values(reasonsIn(table)), sql` or `)})`.execute(
    write,
  )
  return rows.map(({ id }) => id)
}

interface Stays {
  /** The question whose thread stays, or in which an answer or a reply of the run does. */
  readonly questionId: number
  readonly kind: 'question' | 'answer' | 'reply'
  readonly id: number
  readonly title: string
  readonly isAnswered: boolean
  readonly isVoted: boolean
  readonly isEndorsed: boolean
  readonly isClaimed: boolean
}

/** Rows of the list: more are only counted. */
const MOST_LISTED = 100

/**
 * What stays when a run is taken back: threads of its questions as a whole, and what it brought into others. For its staff: titles of
 * private questions are among them.
 */
export async function whatStays(db: Database, runId: number) {
  const units = (['questions', 'answers', 'replies'] as const).map((table) => unitsOf(table, runId))
  const { rows } = await sql<Stays & { count: number }>`
    select live.*, question.title, count(*) over () as count from (${sql.join(units, sql` union all `)}) as live
    join questions as question on question.id = live."questionId"
    order by live."questionId", live.kind, live.id limit ${MOST_LISTED}`.execute(db)
  return { count: rows[0]?.count ?? 0, listed: rows.map(({ count: _count, ...stays }) => stays) }
}

/** Answers and replies are units in threads of others alone. */
function unitsOf(table: PostTable, runId: number): RawBuilder<unknown> {
  const { kind } = KINDS[table]
  const reasons = Object.entries(reasonsIn(table))
  const above = sql`select from imported_posts as above where above.run_id = run.id and`
  const isBelow = {
    questions: sql`false`,
    answers: sql`exists (${above} above.question_id = unit.question_id)`,
    replies: sql`(exists (${above} above.question_id = unit.question_id)
      or exists (${above} above.answer_id = unit.answer_id))`,
  }[table]
  const named = reasons.map(([name, holds]) => sql`${holds} as ${sql.ref(name)}`)
  return sql`
    select * from (
      select ${table === 'questions' ? sql`unit.id` : sql`unit.question_id`} as "questionId", ${kind} as kind, unit.id, ${sql.join(named)}
      from imported_posts as brought join import_runs as run on run.id = brought.run_id
      join ${sql.table(table)} as unit on unit.id = ${sql.ref(`brought.${kind}_id`)}
      where brought.run_id = ${runId} and not ${isBelow}) as unit
    where ${sql.join(
      reasons.map(([name]) => sql.ref(`unit.${name}`)),
      sql` or `,
    )}`
}
