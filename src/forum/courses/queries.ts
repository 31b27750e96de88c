import { sql } from 'kysely'
import type { CountedTable } from '../../database/counted-tables.ts'
import { type PageRequest, pageAlong, pageOf } from '../../database/keyset.ts'
import type { Accent, Asking, Database, Language, Role } from '../../database/schema.ts'
import type { Actor } from '../../kernel/rights/rights.ts'
import { visibleTo } from '../../kernel/rights/visibility.ts'

/** A course as its pages show it. Whether the viewer may read it is for the caller to ask: may(viewer, 'read', …). */
export interface Course {
  readonly id: number
  readonly slug: string
  readonly title: string
  /** The sub-field, e.g. "Backend"; '' when none was given. */
  readonly field: string
  readonly description: string
  readonly language: Language
  readonly timeZone: string
  readonly isPublic: boolean
  readonly asking: Asking
  readonly accent: Accent
  /** It can be read, and nothing is written in it any more. */
  readonly isArchived: boolean
}

export interface ListedCourse extends Course {
  readonly questionsCount: number
  readonly unansweredCount: number
  /** The viewer's; null: not a member. */
  readonly role: Role | null
}

export const COURSES_PER_PAGE = 100

export async function findCourse(db: Database, slug: string): Promise<Course | null> {
  if (slug.includes('\0') || !slug.isWellFormed()) return null
  const row = await db
    .selectFrom('courses as course')
    .select(COURSE_COLUMNS)
    .where('slug', '=', slug)
    .executeTakeFirst()
  return row ?? null
}

export async function courseCounts(
  db: Database,
  id: number,
): Promise<Pick<ListedCourse, 'questionsCount' | 'unansweredCount'>> {
  return db
    .selectFrom('courses')
    .select(['questions_count as questionsCount', 'unanswered_count as unansweredCount'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
}

/** The courses somebody may read, those with most questions first. There are few: no index is needed. */
export async function listCourses(
  db: Database,
  viewer: Actor | null,
  request: PageRequest,
  size = COURSES_PER_PAGE,
) {
  const page = pageAlong('course.questions_count', 'course.id', 'count', request)
  const rows = await db
    .selectFrom('courses as course')
    .select(COURSE_COLUMNS)
    .select(['questions_count as questionsCount', 'unanswered_count as unansweredCount'])
    .where(visibleTo(viewer))
    .where(page.beyond)
    .orderBy(page.order)
    .limit(size + 1)
    .execute()
  const courses = rows.map((row): ListedCourse => ({ ...row, role: viewer?.roles[row.id] ?? null }))
  return pageOf(courses, size, request, (course) => course.questionsCount)
}

/**
 * All courses, with what is asked of them beside their pages.
 * @returns null: there are more than `most`
 */
export async function fewCourses(db: Database, most: number) {
  const rows = await db
    .selectFrom('courses as course')
    .select(COURSE_COLUMNS)
    .select(['questions_count as questionsCount', 'synonyms'])
    .limit(most + 1)
    .execute()
  if (rows.length > most) return null
  return rows.map(({ questionsCount, synonyms, ...course }) => ({ course, questionsCount, synonyms }))
}

export function allCourses(db: Database) {
  return db
    .selectFrom('courses as course')
    .select(COURSE_COLUMNS)
    .select([
      'course.questions_count as questionsCount',
      sql<number>`(select count(*) from lectures where course_id = course.id)`.as('lecturesCount'),
      sql<number>`(select count(*) from course_members where course_id = course.id)`.as('membersCount'),
    ])
    .orderBy('course.slug')
    .execute()
}

const COURSE_COLUMNS = [
  'course.id',
  'course.slug',
  'course.title',
  'course.field',
  'course.description',
  'course.language',
  'course.time_zone as timeZone',
  'course.is_public as isPublic',
  'course.asking',
  'course.accent',
  sql<boolean>`course.archived_at is not null`.as('isArchived'),
] as const

/** Counted from the answers themselves, so that a wrong answers_count does not make a course's counters wrong too. */
export const courseCounters: CountedTable = {
  table: 'courses',
  key: ['id'],
  joins: (only) => sql`
    left join (
      select course_id, count(*)::integer as number,
        (count(*) filter (where status = 'resolved'))::integer as resolved,
        (count(*) filter (where answered.question_id is null))::integer as unanswered
      from questions as question
      left join (select distinct question_id from answers where is_shown) as answered
        on answered.question_id = question.id
      where question.is_listed and ${only('courses', 'course_id')} group by course_id
    ) as asked on asked.course_id = kept.id`,
  compared: (only) => only('courses', 'kept.id'),
  counters: {
    questions_count: sql`coalesce(asked.number, 0)`,
    resolved_count: sql`coalesce(asked.resolved, 0)`,
    unanswered_count: sql`coalesce(asked.unanswered, 0)`,
  },
}
