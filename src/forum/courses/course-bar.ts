import type { FastifyInstance, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { type CourseAct, may, placeOf } from '../../kernel/rights/rights.ts'
import { isVisible } from '../../kernel/rights/visibility.ts'
import { contextOf, type PageContext } from '../../web/page.ts'
import { queryParam } from '../../web/params.ts'
import {
  announcementsPath,
  coursePath,
  courseSettingsPath,
  courseTagsPath,
  deskPath,
  faqPath,
  figuresPath,
  lecturesPath,
  membersPath,
  moderationPath,
} from '../../web/paths.ts'
import type { CourseBar } from '../../web/shell.ts'
import type { Course } from './queries.ts'

/** The pages of a course that its bar leads to, in their order: who may do `act` there sees the place. */
const PLACES = [
  { name: 'questions', act: 'read', pathOf: coursePath },
  { name: 'lectures', act: 'read', pathOf: lecturesPath },
  { name: 'announcements', act: 'read', pathOf: announcementsPath },
  { name: 'faq', act: 'read', pathOf: faqPath },
  { name: 'tags', act: 'read', pathOf: courseTagsPath },
  { name: 'desk', act: 'work-desk', pathOf: deskPath },
  { name: 'moderation', act: 'moderate', pathOf: moderationPath },
  { name: 'figures', act: 'see-figures', pathOf: figuresPath },
  { name: 'members', act: 'see-members', pathOf: membersPath },
  { name: 'settings', act: 'manage', pathOf: courseSettingsPath },
] as const satisfies readonly { name: string; act: CourseAct; pathOf: (slug: string) => string }[]

export type CoursePlace = (typeof PLACES)[number]['name']

/** What the pages of a course know of it. */
export type BarCourse = Omit<Course, 'field' | 'description'>

/**
 * The bar of a page, with what waits for those who work at the desk.
 * @param current the place that is shown; null: a page beside them
 */
export async function barOf(
  { t, db, viewer, rendering }: PageContext,
  course: BarCourse,
  current: CoursePlace | null,
  isBelow = false,
): Promise<CourseBar> {
  const place = placeOf(course)
  const isAnswering = may(viewer, 'work-desk', place)
  if (isAnswering) rendering?.dependsOn(`course:${course.id}`)
  const waiting = isAnswering ? await waitingCount(db, course.id) : 0
  return {
    text: course.title,
    path: coursePath(course.slug),
    lang: course.language,
    accent: course.accent === 'green' ? null : course.accent,
    isArchived: course.isArchived,
    following: may(viewer, 'follow-course', place)
      ? { action: `${coursePath(course.slug)}/following`, subject: `course.${course.id}` }
      : null,
    isHeading: current === 'questions' && !isBelow,
    places: PLACES.filter(({ act }) => may(viewer, act, place)).map(({ name, pathOf }) => ({
      text: t(`courses.bar.${name}`),
      path: pathOf(course.slug),
      current: name !== current ? null : isBelow ? 'true' : 'page',
      count: name === 'desk' ? waiting || null : null,
      slot: name === 'moderation' ? `waiting-cases.${course.id}` : null,
    })),
  }
}

/** The course in the query, of a page that keeps the bar of where one came from; null: none, or one that the viewer may not read. */
export async function courseParam(request: FastifyRequest): Promise<Course | null> {
  const slug = queryParam(request, 'course')
  const course = slug === null ? null : await request.server.courses.findCourse(slug)
  return course !== null && isVisible(request.person, course) ? course : null
}

/** Gives pages that are of no course the bar of the one that their address names. */
export function registerKeptBar(app: FastifyInstance): void {
  app.decorate('keptBar', async (request: FastifyRequest) => {
    const course = await courseParam(request)
    return course === null ? null : { slug: course.slug, bar: await barOf(contextOf(request), course, null) }
  })
}

/** More are not counted one by one. */
export const MAX_COUNTED = 1000

/** How many questions of a course wait for its staff, MAX_COUNTED at most; none of an archived one. Index: question_desk_waiting. */
export async function waitingCount(db: Database, courseId: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from (
      select from question_desk where course_id = ${courseId} and waiting_since is not null
        and (snoozed_until is null or snoozed_until <= now())
        and exists (select from courses where id = ${courseId} and archived_at is null)
      limit ${sql.lit(MAX_COUNTED)}) as waiting`.execute(db)
  return rows[0]?.count ?? 0
}
