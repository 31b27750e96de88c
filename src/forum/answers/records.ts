import { sql } from 'kysely'
import { type Cursor, pageAlong } from '../../database/keyset.ts'
import type { Database } from '../../database/schema.ts'
import type { Actor } from '../../rights/rights.ts'
import { readableTo, shownTo } from '../../rights/visibility.ts'
import { askedCount } from '../authors/asked-count.ts'
import { sealedName } from '../authors/sealed-name.ts'

/** An answer with all that programs read of it. */
export type AnswerRecord = Awaited<ReturnType<ReturnType<typeof selectRecords>['execute']>>[number]

/** The order in which posts below a question are listed. */
export const POST_SORTS = ['oldest', 'newest'] as const
export type PostSort = (typeof POST_SORTS)[number]

/**
 * One page of the answers to a question, in one round trip; none where the viewer may not read it.
 * @returns up to `size` + 1 rows
 */
export function listAnswerRecords(
  db: Database,
  viewer: Actor | null,
  questionId: number,
  { after, sort, size }: { readonly after: Cursor | null; readonly sort: PostSort; readonly size: number },
): Promise<AnswerRecord[]> {
  const first = sort === 'oldest' ? 'smallest' : 'greatest'
  const page = pageAlong('a.written_at', 'a.id', 'time', { after, before: null }, first)
  return selectRecords(db, viewer)
    .where('a.question_id', '=', questionId)
    .where(shownTo(viewer, 'q'))
    .where(page.beyond)
    .orderBy(page.order)
    .limit(size + 1)
    .execute()
}

/** Answers to these questions, by question, oldest first. */
export function answerRecordsOf(
  db: Database,
  viewer: Actor | null,
  questionIds: readonly number[],
): Promise<AnswerRecord[]> {
  return selectRecords(db, viewer)
    .where('a.question_id', '=', sql<number>`any(${questionIds}::bigint[])`)
    .orderBy('a.question_id')
    .orderBy('a.written_at')
    .orderBy('a.id')
    .execute()
}

/** An answer that the viewer may read; undefined: there is none. */
export function findAnswerRecord(
  db: Database,
  viewer: Actor | null,
  id: number,
): Promise<AnswerRecord | undefined> {
  return selectRecords(db, viewer).where('a.id', '=', id).executeTakeFirst()
}

function selectRecords(db: Database, viewer: Actor | null) {
  return db
    .selectFrom('answers as a')
    .innerJoin('questions as q', 'q.id', 'a.question_id')
    .innerJoin('courses as course', 'course.id', 'q.course_id')
    .innerJoin('people as author', 'author.id', 'a.author_id')
    .leftJoin('course_members as member', (join) =>
      join.onRef('member.course_id', '=', 'q.course_id').onRef('member.person_id', '=', 'a.author_id'),
    )
    .leftJoin('stand_ins as stand_in', (join) =>
      join.onRef('stand_in.question_id', '=', 'q.id').onRef('stand_in.person_id', '=', 'a.author_id'),
    )
    .select(['a.id', 'a.question_id', 'a.body', 'a.body_html', 'a.version', 'a.votes_count'])
    .select(['a.written_at', 'a.edited_at', 'a.is_anonymous', 'stand_in.number as stand_in'])
    .select([
      'course.id as course_id',
      'course.slug as course_slug',
      'q.audience',
      'q.title as question_title',
    ])
    .select(['a.author_id', 'member.role as author_role', 'q.deleted_at as question_deleted_at'])
    .select([sealedName('author.display_name').as('author_name'), askedCount(viewer).as('questions_count')])
    .select([
      sql<boolean>`a.id is not distinct from q.accepted_answer_id`.as('is_accepted'),
      sql<boolean>`a.endorsed_at is not null`.as('is_endorsed'),
      sql<number>`(select count(*)::integer from replies
        where question_id = a.question_id and answer_id = a.id and is_shown)`.as('replies_count'),
    ])
    .where(shownTo(viewer, 'a'))
    .where(readableTo(viewer))
}
