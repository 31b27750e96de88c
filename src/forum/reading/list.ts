import type { FastifyRequest } from 'fastify'
import { type RawBuilder, sql } from 'kysely'
import { CompiledStatements } from '../../database/compiled.ts'
import {
  type Cursor,
  FIRST_PAGE,
  type Page,
  type PageRequest,
  pageAlong,
  pageOf,
} from '../../database/keyset.ts'
import type { Database, Role } from '../../database/schema.ts'
import { type Actor, withRightsOf } from '../../kernel/rights/rights.ts'
import { hidingOf, type ReadableCourses, readableCourses } from '../../kernel/rights/visibility.ts'
import { askedCount } from '../authors/asked-count.ts'
import { sealedName } from '../authors/sealed-name.ts'
import { pinnedIn } from '../posts/pin.ts'
import { tagsOf } from '../tags/tagging.ts'
import {
  isUntouched,
  placesQuery,
  type QuestionFilter,
  SORT_COLUMNS,
  type Sort,
  scopeOf,
} from './list-filter.ts'

export { type QuestionFilter, SORTS, type Sort, STATUS_FILTERS } from './list-filter.ts'

export const PAGE_SIZE = 20
/** Where staff select questions, as many as one act takes. */
export const SELECTION_SIZE = 100
/** Characters of a question's HTML that its excerpt in a list is made of. */
const BEGINNING_LENGTH = 800

export type ListedQuestion = Awaited<ReturnType<ReturnType<typeof selectQuestions>['execute']>>[number]

/** A list is the same statement for all with the same rights, whoever they are: the filter names whose questions it has. */
const NOBODY = 0
const statements = new CompiledStatements<ListedQuestion>()

/**
 * One page of the questions a person may see. Which rows those are, `placesQuery` finds along one index.
 * @param readable the courses the viewer may read, where they are known already
 */
export async function listQuestions(
  db: Database,
  viewer: Actor | null,
  filter: QuestionFilter,
  request: PageRequest,
  readable?: ReadableCourses,
  size = PAGE_SIZE,
): Promise<Page<ListedQuestion>> {
  const scope = await scopeOf(db, filter, readable ?? (await readableCourses(db, viewer)))
  const actor = withRightsOf(viewer, NOBODY)
  const select = (page: PageRequest) =>
    statements.rows(db, JSON.stringify([actor, scope, page, size]), () =>
      selectQuestions(db, actor, placesQuery(scope, page, size + 1), filter.sort, page),
    )
  const sortValue = (question: ListedQuestion) => cursorOf(question, filter.sort).value
  const read = await select(request)
  // Nothing beyond the cursor, as what was there is deleted or moved: an empty page would look like an empty forum.
  if (read.length === 0 && (request.after ?? request.before) !== null) {
    return pageOf(await select(FIRST_PAGE), size, FIRST_PAGE, sortValue)
  }
  return pageOf(read, size, request, sortValue)
}

export function cursorOf(
  question: Pick<ListedQuestion, 'id' | 'written_at' | 'active_at' | 'votes_count' | 'views_count'>,
  sort: Sort,
): Cursor {
  const value = {
    newest: question.written_at.getTime(),
    active: question.active_at.getTime(),
    votes: question.votes_count,
    views: question.views_count,
  }[sort]
  return { value, id: question.id }
}

/**
 * Which questions a list on a shared page has, what their rows say, and the names in them. Without `courseId`
 * it spans courses.
 */
export function dependOnList(
  { rendering }: Pick<FastifyRequest, 'rendering'>,
  { courseId, sort }: Pick<QuestionFilter, 'courseId' | 'sort'>,
  rows: readonly Pick<ListedQuestion, 'id' | 'author_id' | 'answerers'>[],
): void {
  if (sort === 'newest') rendering?.dependsOn(courseId === null ? 'lists' : `list:${courseId}`)
  // Answers and votes change the order.
  else rendering?.dependsOn(courseId === null ? 'site' : `course:${courseId}`)
  for (const { id } of rows) rendering?.dependsOn(`row:${id}`)
  const named = rows.flatMap(({ author_id: author, answerers }) => [author, ...answerers.map(({ id }) => id)])
  for (const id of new Set(named)) rendering?.dependsOn(`person:${id}`)
}

/** The pinned questions of a course that its list shows first, those that end last first. Index: pins_course. */
export function pinnedQuestions(db: Database, viewer: Actor | null, courseId: number) {
  return selectQuestions(db, viewer, pinnedIn(courseId), 'newest', FIRST_PAGE).execute()
}

/** What a list shows of the questions with these ids. */
function selectQuestions(
  db: Database,
  viewer: Actor | null,
  places: RawBuilder<{ id: number }>,
  sort: Sort,
  request: PageRequest,
) {
  const { column, kind } = SORT_COLUMNS[sort]
  return db
    .selectFrom(sql<{ id: number }>`(${places})`.as('place'))
    .innerJoin('questions as q', 'q.id', 'place.id')
    .innerJoin('courses as course', 'course.id', 'q.course_id')
    .innerJoin('people as author', 'author.id', 'q.author_id')
    .leftJoin('lectures as lecture', 'lecture.id', 'q.lecture_id')
    .leftJoin('course_members as author_member', (join) =>
      join
        .onRef('author_member.course_id', '=', 'q.course_id')
        .onRef('author_member.person_id', '=', 'q.author_id'),
    )
    .select(['q.id', 'q.title', 'q.status', 'q.answers_count', 'q.views_count', 'q.votes_count'])
    .select(['q.written_at', 'q.active_at', 'author.id as author_id', 'author_member.role as author_role'])
    .select(isUntouched.as('is_untouched'))
    .select([sealedName('author.display_name').as('author_name'), askedCount(viewer).as('questions_count')])
    .select(sql<string>`left(q.body_html, ${sql.lit(BEGINNING_LENGTH)})`.as('beginning'))
    .select(['q.is_anonymous', 'q.was_staff', 'q.audience', hidingOf('q').as('hiding')])
    .select(['lecture.position as lecture_position', 'lecture.title as lecture_title'])
    .select(['course.id as course_id', 'course.slug as course_slug', 'course.title as course_title'])
    .select(['course.time_zone', 'course.language'])
    .select((select) => tagsOf(select).as('tags'))
    .select([answerers.as('answerers'), isEndorsed.as('is_endorsed'), isDuplicate.as('is_duplicate')])
    .orderBy(pageAlong(column, 'q.id', kind, request).order)
}

/** Whether another question answers it. */
const isDuplicate = sql<boolean>`(q.duplicate_of is not null)`

/** Whether staff endorsed an answer. */
const isEndorsed = sql<boolean>`exists (
  select from answers where question_id = q.id and endorsed_at is not null and is_shown)`

/**
 * Up to three who answered under their name, staff before others and then the earliest, told with staff last. `offset 0` keeps PostgreSQL from
 * beginning with members who wrote thousands: the few answers of a question come first.
 */
const answerers = sql<{ id: number; display_name: string; role: Role | null }[]>`(
  select coalesce(json_agg(json_build_object('id', face.id, 'display_name', face.display_name, 'role', face.role)
    order by face.is_staff, face.first_id), '[]')
  from (
    select person.id, person.display_name, member.role, coalesce(member.role <> 'learner', false) as is_staff, answer.first_id
    from (
      select author_id, min(id) as first_id from answers
      where question_id = q.id and is_shown and not is_anonymous
      group by author_id offset 0
    ) as answer
    join people as person on person.id = answer.author_id
    left join course_members as member on member.person_id = answer.author_id and member.course_id = q.course_id
    order by is_staff desc, answer.first_id
    limit 3
  ) as face)`
