import { type SelectQueryBuilder, sql } from 'kysely'
import { type Cursor, pageAlong } from '../../database/keyset.ts'
import type { Database } from '../../database/schema.ts'
import type { Actor } from '../../kernel/rights/rights.ts'
import { hidingOf, readableTo, shownTo } from '../../kernel/rights/visibility.ts'
import { askedCount } from '../authors/asked-count.ts'
import { sealedName } from '../authors/sealed-name.ts'
import type { BelowTable } from './kinds.ts'
import { isVotedBy } from './vote.ts'

/** Answers, and replies, with all that programs read of them: those that the viewer may read. */
export const answerRecords = recordsOf(selectAnswers)
export const replyRecords = recordsOf(selectReplies)

export type AnswerRecord = Awaited<ReturnType<typeof answerRecords.ofQuestions>>[number]
export type ReplyRecord = Awaited<ReturnType<typeof replyRecords.ofQuestions>>[number]

export const POST_SORTS = ['oldest', 'newest'] as const

function recordsOf<Tables, Names extends keyof Tables, Row>(
  select: (db: Database, viewer: Actor | null) => SelectQueryBuilder<Tables, Names, Row>,
) {
  return {
    find: (db: Database, viewer: Actor | null, id: number) =>
      select(db, viewer).where(sql<boolean>`post.id = ${id}`).executeTakeFirst(),

    /** Those with these ids, in any order. */
    ofIds: (db: Database, viewer: Actor | null, ids: readonly number[]) =>
      select(db, viewer).where(sql<boolean>`post.id = any(${ids}::bigint[])`).execute(),

    /** All below these questions, by question, oldest first. */
    ofQuestions: (db: Database, viewer: Actor | null, questionIds: readonly number[]) =>
      select(db, viewer)
        .where(sql<boolean>`post.question_id = any(${questionIds}::bigint[])`)
        .orderBy(sql`post.question_id`)
        .orderBy(sql`post.written_at`)
        .orderBy(sql`post.id`)
        .execute(),

    /**
     * The first below each of these posts, the oldest first: of each, one more than `size`. Replies are those under the questions, if
     * `isDirect`, and those under the answers.
     */
    async first(db: Database, viewer: Actor | null, { questionIds, under }: Parents, size: number) {
      const isUnder =
        under === null
          ? sql<boolean>`true`
          : sql<boolean>`(${under.isDirect} and post.answer_id is null or post.answer_id = any(${under.answerIds}::bigint[]))`
      const parent = under === null ? sql`post.question_id` : sql`post.question_id, post.answer_id`
      const below = select(db, viewer)
        .select(
          sql<number>`row_number() over (partition by ${parent} order by post.written_at, post.id)`.as(
            'place',
          ),
        )
        .where(sql<boolean>`post.question_id = any(${questionIds}::bigint[])`)
        .where(isUnder)
      const { rows } = await sql<Row>`
        select * from ${below} as below where place <= ${size + 1} order by place, id`.execute(db)
      return rows
    },

    /**
     * One page of those below a post, in one round trip; none where the viewer may not read it. Replies to a question are those directly
     * under it.
     * @returns up to `size` + 1 rows
     */
    async list(
      db: Database,
      viewer: Actor | null,
      parent: Parent,
      { after, sort, size }: { after: Cursor | null; sort: (typeof POST_SORTS)[number]; size: number },
    ) {
      const first = sort === 'oldest' ? 'smallest' : 'greatest'
      const page = pageAlong('post.written_at', 'post.id', 'time', { after, before: null }, first)
      return select(db, viewer)
        .where(isBelow(viewer, parent))
        .where(page.beyond)
        .orderBy(page.order)
        .limit(size + 1)
        .execute()
    },
  }
}

/** Of answers, `under` is null. */
export interface Parents {
  readonly questionIds: readonly number[]
  readonly under: { readonly isDirect: boolean; readonly answerIds: readonly number[] } | null
}

export type Parent =
  | { readonly answersOf: number }
  | { readonly repliesToQuestion: number }
  | { readonly repliesToAnswer: number }

function isBelow(viewer: Actor | null, parent: Parent) {
  if ('repliesToAnswer' in parent) {
    const id = parent.repliesToAnswer
    return sql<boolean>`post.question_id = (select question_id from answers where id = ${id}) and post.answer_id = ${id}`
  }
  if ('answersOf' in parent)
    return sql<boolean>`post.question_id = ${parent.answersOf} and ${shownTo(viewer, 'q')}`
  return sql<boolean>`post.question_id = ${parent.repliesToQuestion} and post.answer_id is null and ${shownTo(viewer, 'q')}`
}

function selectAnswers(db: Database, viewer: Actor | null) {
  return selectBelow(db, viewer, 'answers')
    .select('post.votes_count')
    .select(isVotedBy('answer', 'post', viewer?.id ?? null).as('is_voted'))
    .select([
      sql<boolean>`post.id is not distinct from q.accepted_answer_id`.as('is_accepted'),
      sql<boolean>`post.endorsed_at is not null`.as('is_endorsed'),
      sql<number>`(select count(*)::integer from replies
        where question_id = post.question_id and answer_id = post.id and is_shown)`.as('replies_count'),
    ])
}

function selectReplies(db: Database, viewer: Actor | null) {
  return selectBelow(db, viewer, 'replies')
    .leftJoin('answers as a', (join) => join.on(sql<boolean>`a.id = post.answer_id`))
    .select(sql<number | null>`post.answer_id`.as('answer_id'))
    .select(['q.author_id as asker_id', 'q.is_anonymous as is_asker_anonymous'])
    .where(sql<boolean>`(a.id is null or ${shownTo(viewer, 'a')})`)
}

/** What answers and replies have in common, of alias `post`. The columns of both tables are alike, which their union doesn't tell. */
function selectBelow(db: Database, viewer: Actor | null, table: BelowTable) {
  return db
    .selectFrom(`${table as 'answers'} as post`)
    .innerJoin('questions as q', 'q.id', 'post.question_id')
    .innerJoin('courses as course', 'course.id', 'q.course_id')
    .innerJoin('people as author', 'author.id', 'post.author_id')
    .leftJoin('course_members as member', (join) =>
      join.onRef('member.course_id', '=', 'q.course_id').onRef('member.person_id', '=', 'post.author_id'),
    )
    .leftJoin('stand_ins as stand_in', (join) =>
      join.onRef('stand_in.question_id', '=', 'q.id').onRef('stand_in.person_id', '=', 'post.author_id'),
    )
    .select(['post.id', 'post.question_id', 'post.body', 'post.body_html', 'post.version'])
    .select(['post.written_at', 'post.edited_at', 'post.is_anonymous', 'stand_in.number as stand_in'])
    .select(['course.id as course_id', 'course.slug as course_slug'])
    .select(['q.audience', 'q.title as question_title', 'q.deleted_at as question_deleted_at'])
    .select(['post.author_id', 'member.role as author_role', hidingOf('post').as('state')])
    .select([sealedName('author.display_name').as('author_name'), askedCount(viewer).as('questions_count')])
    .where(shownTo(viewer, 'post'))
    .where(readableTo(viewer))
}
