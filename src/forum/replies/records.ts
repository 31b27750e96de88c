import { sql } from 'kysely'
import { type Cursor, pageAlong } from '../../database/keyset.ts'
import type { Database } from '../../database/schema.ts'
import type { Actor } from '../../rights/rights.ts'
import { readableTo, shownTo } from '../../rights/visibility.ts'
import type { PostSort } from '../answers/records.ts'
import { askedCount } from '../authors/asked-count.ts'
import { sealedName } from '../authors/sealed-name.ts'

/** A reply with all that programs read of it. */
export type ReplyRecord = Awaited<ReturnType<ReturnType<typeof selectRecords>['execute']>>[number]

/** The parent of replies. */
export type RepliedTo = { readonly answerId: number } | { readonly questionId: number }

/**
 * One page of the replies under an answer, or directly under a question, in one round trip; none where the viewer may not read it.
 * @returns up to `size` + 1 rows
 */
export function listReplyRecords(
  db: Database,
  viewer: Actor | null,
  to: RepliedTo,
  { after, sort, size }: { readonly after: Cursor | null; readonly sort: PostSort; readonly size: number },
): Promise<ReplyRecord[]> {
  const first = sort === 'oldest' ? 'smallest' : 'greatest'
  const page = pageAlong('r.written_at', 'r.id', 'time', { after, before: null }, first)
  const place =
    'answerId' in to
      ? sql<boolean>`r.question_id = (select question_id from answers where id = ${to.answerId}) and r.answer_id = ${to.answerId}`
      : sql<boolean>`r.question_id = ${to.questionId} and r.answer_id is null and ${shownTo(viewer, 'q')}`
  return selectRecords(db, viewer)
    .where(place)
    .where(page.beyond)
    .orderBy(page.order)
    .limit(size + 1)
    .execute()
}

/** All replies below these questions, by question, oldest first. */
export function replyRecordsOf(
  db: Database,
  viewer: Actor | null,
  questionIds: readonly number[],
): Promise<ReplyRecord[]> {
  return selectRecords(db, viewer)
    .where('r.question_id', '=', sql<number>`any(${questionIds}::bigint[])`)
    .orderBy('r.question_id')
    .orderBy('r.written_at')
    .orderBy('r.id')
    .execute()
}

/** A reply that the viewer may read; undefined: there is none. */
export function findReplyRecord(
  db: Database,
  viewer: Actor | null,
  id: number,
): Promise<ReplyRecord | undefined> {
  return selectRecords(db, viewer).where('r.id', '=', id).executeTakeFirst()
}

function selectRecords(db: Database, viewer: Actor | null) {
  return db
    .selectFrom('replies as r')
    .innerJoin('questions as q', 'q.id', 'r.question_id')
    .innerJoin('courses as course', 'course.id', 'q.course_id')
    .innerJoin('people as author', 'author.id', 'r.author_id')
    .leftJoin('answers as a', 'a.id', 'r.answer_id')
    .leftJoin('course_members as member', (join) =>
      join.onRef('member.course_id', '=', 'q.course_id').onRef('member.person_id', '=', 'r.author_id'),
    )
    .leftJoin('stand_ins as stand_in', (join) =>
      join.onRef('stand_in.question_id', '=', 'q.id').onRef('stand_in.person_id', '=', 'r.author_id'),
    )
    .select(['r.id', 'r.question_id', 'r.answer_id', 'r.body', 'r.body_html', 'r.version'])
    .select(['r.written_at', 'r.edited_at', 'r.is_anonymous', 'stand_in.number as stand_in'])
    .select([
      'course.id as course_id',
      'course.slug as course_slug',
      'q.audience',
      'q.title as question_title',
    ])
    .select(['r.author_id', 'member.role as author_role', 'q.deleted_at as question_deleted_at'])
    .select([sealedName('author.display_name').as('author_name'), askedCount(viewer).as('questions_count')])
    .select(['q.author_id as asker_id', 'q.is_anonymous as is_asker_anonymous'])
    .where(shownTo(viewer, 'r'))
    .where(sql<boolean>`(a.id is null or ${shownTo(viewer, 'a')})`)
    .where(readableTo(viewer))
}
