import { type RawBuilder, sql } from 'kysely'
import type { PageRequest } from '../../database/keyset.ts'
import type { Database } from '../../database/schema.ts'
import type { Actor } from '../../kernel/rights/rights.ts'
import { hidingOf, type ReadableCourses, readableTo, shownTo } from '../../kernel/rights/visibility.ts'
import { askedCount } from '../authors/asked-count.ts'
import { sealedName } from '../authors/sealed-name.ts'
import { followLevel } from '../follows/following.ts'
import { pinnedUntil } from '../posts/pin.ts'
import { isVotedBy } from '../posts/vote.ts'
import { tagsOf } from '../tags/tagging.ts'
import { placesQuery, type QuestionFilter, SORT_COLUMNS, scopeOf } from './list-filter.ts'

export type QuestionRecord = Awaited<ReturnType<ReturnType<typeof selectRecords>['execute']>>[number]

/** One page of questions, with their texts; the rows are those of the list. @returns up to `size` + 1 */
export async function listQuestionRecords(
  db: Database,
  viewer: Actor | null,
  filter: QuestionFilter,
  request: PageRequest,
  size: number,
  readable: ReadableCourses,
): Promise<QuestionRecord[]> {
  const places = placesQuery(await scopeOf(db, filter, readable), request, size + 1)
  return selectRecords(db, viewer, places)
    .orderBy(SORT_COLUMNS[filter.sort].column, 'desc')
    .orderBy('q.id', 'desc')
    .execute()
}

/** A question that the viewer may read and that is shown; undefined: there is none. */
export function findQuestionRecord(db: Database, viewer: Actor | null, id: number) {
  return selectRecords(db, viewer, sql`select id from questions where id = ${id}`)
    .where(readableTo(viewer))
    .where(shownTo(viewer, 'q'))
    .executeTakeFirst()
}

/** Questions that the viewer may read and that are shown, in the order of these ids. */
export async function questionRecordsOf(db: Database, viewer: Actor | null, ids: readonly number[]) {
  if (ids.length === 0) return []
  return selectRecords(db, viewer, sql`select unnest(${ids}::bigint[]) as id`)
    .where(readableTo(viewer))
    .where(shownTo(viewer, 'q'))
    .orderBy(sql`array_position(${ids}::bigint[], q.id)`)
    .execute()
}

/** Questions of a course that the viewer may read, private ones too, by id: those after `after`. Uses index questions_of_course. */
export function courseRecordsAfter(
  db: Database,
  viewer: Actor | null,
  courseId: number,
  after: number,
  size: number,
): Promise<QuestionRecord[]> {
  const places = sql<{ id: number }>`
    select id from questions where course_id = ${courseId} and id > ${after} and is_shown order by id limit ${size}`
  return selectRecords(db, viewer, places).where(readableTo(viewer)).orderBy('q.id').execute()
}

function selectRecords(db: Database, viewer: Actor | null, places: RawBuilder<{ id: number }>) {
  return db
    .selectFrom(sql<{ id: number }>`(${places})`.as('place'))
    .innerJoin('questions as q', 'q.id', 'place.id')
    .innerJoin('courses as course', 'course.id', 'q.course_id')
    .innerJoin('categories as category', 'category.id', 'q.category_id')
    .innerJoin('people as author', 'author.id', 'q.author_id')
    .leftJoin('lectures as lecture', 'lecture.id', 'q.lecture_id')
    .leftJoin('course_members as member', (join) =>
      join.onRef('member.course_id', '=', 'q.course_id').onRef('member.person_id', '=', 'q.author_id'),
    )
    .leftJoin('stand_ins as stand_in', (join) =>
      join.onRef('stand_in.question_id', '=', 'q.id').onRef('stand_in.person_id', '=', 'q.author_id'),
    )
    .leftJoin('questions as original', (join) =>
      join.onRef('original.id', '=', 'q.duplicate_of').on('original.is_listed', '=', true),
    )
    .select(['q.id', 'q.title', 'q.body', 'q.body_html', 'q.status', 'q.version', 'q.accepted_answer_id'])
    .select(['q.answers_count', 'q.votes_count', 'q.views_count', 'q.written_at'])
    .select(['q.edited_at', 'q.active_at', 'q.is_imported'])
    .select(['q.audience', 'q.is_anonymous', 'stand_in.number as stand_in', 'original.id as duplicate_of'])
    .select(['q.answers_closed_at', 'q.closing_reason', hidingOf('q').as('state')])
    .select(['course.id as course_id', 'course.slug as course_slug', 'course.field'])
    .select(['category.slug as category_slug', 'lecture.position as lecture_position'])
    .select(['q.author_id', 'member.role as author_role'])
    .select([sealedName('author.display_name').as('author_name'), askedCount(viewer).as('questions_count')])
    .select((select) => tagsOf(select).as('tags'))
    .select(isVotedBy('question', 'q', viewer?.id ?? null).as('is_voted'))
    .select([followLevel(viewer?.id ?? null).as('follow_level'), pinnedUntil.as('pinned_until')])
}
