import type { FastifyInstance, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { yes } from '../../kernel/fields.ts'
import { operation } from '../../kernel/operation.ts'
import { may, placeOf } from '../../kernel/rights/rights.ts'
import type { Message } from '../../messages/catalogue.ts'
import { openForm } from '../../web/forms/door.ts'
import type { PageContext } from '../../web/page.ts'
import { textParam } from '../../web/params.ts'
import { announcementsPath, coursePath, courseSettingsPath, membersPath } from '../../web/paths.ts'
import { lockedCourse } from './find-course.ts'
import { durationOf } from './promise.ts'
import type { Course } from './queries.ts'

interface Facts {
  readonly isHidden: boolean
  readonly hasMembers: boolean
  readonly hasInvited: boolean
  readonly promiseHours: number | null
  /** The first announcement; null: none. */
  readonly welcome: { readonly id: number; readonly title: string } | null
}

/** With so many questions a course has begun, whatever its staff did not do. */
const BEGUN = 10

/**
 * What a new course still needs, for its instructors.
 * @returns null: the viewer does not run the course, or it has begun
 */
export async function firstStepsOf(
  { server, viewer, rendering }: PageContext,
  course: Course,
  questionsCount: number,
) {
  if (course.isArchived || questionsCount >= BEGUN || !may(viewer, 'manage', placeOf(course))) return null
  // Invitations and learners who join change no page: this one is not kept.
  if (rendering !== null) rendering.isCacheable = false
  const { slug } = course
  const facts = await findFacts(server.db, course.id)
  const steps = stepsOf(course, facts)
  return {
    steps,
    doneCount: steps.filter(({ isDone }) => isDone).length,
    link: `${server.config.baseUrl}${coursePath(slug)}`,
    action: `${coursePath(slug)}/first-steps`,
    isHidden: facts.isHidden,
  }
}

function stepsOf({ slug, isPublic }: Course, facts: Facts) {
  const { hasMembers, promiseHours, welcome } = facts
  const isInvited = hasMembers || facts.hasInvited
  return [
    step('share', hasMembers, hasMembers ? 'done' : isPublic ? 'public' : 'private', null),
    step('people', isInvited, isInvited ? 'done' : 'text', `${membersPath(slug)}?add=1`),
    promiseHours === null
      ? step('goal', false, 'text', `${courseSettingsPath(slug)}#asking`)
      : step('goal', true, 'done', `${courseSettingsPath(slug)}#asking`, durationOf(promiseHours)),
    welcome === null
      ? step('welcome', false, 'text', `${announcementsPath(slug)}/new`)
      : step('welcome', true, 'done', `/announcements/${welcome.id}/edit`, { title: welcome.title }),
  ]
}

/** @param said what it is for, or, once it is done, what was chosen @param path where it is done, or changed; null: on the spot */
function step(
  name: 'share' | 'people' | 'goal' | 'welcome',
  isDone: boolean,
  said: string,
  path: string | null,
  values: Message['values'] = {},
) {
  return { name, isDone, text: { key: `courses.first.${name}.${said}`, values }, path }
}

/** Indexes: course_members_pkey, pending_roles_pkey, announcements_published. */
async function findFacts(db: Database, courseId: number): Promise<Facts> {
  const { rows } = await sql<Facts>`
    select hides_first_steps as "isHidden", promise_hours as "promiseHours",
      (select count(*) from (select from course_members where course_id = course.id limit 2) as one) > 1 as "hasMembers",
      exists (select from invitations where course_id = course.id)
        or exists (select from pending_roles where course_id = course.id) as "hasInvited",
      (select jsonb_build_object('id', id, 'title', title) from announcements where course_id = course.id
        order by published_at, id limit 1) as welcome
    from courses as course where id = ${courseId}`.execute(db)
  const [facts] = rows
  if (facts === undefined) throw new Error(`there is no course ${courseId}`)
  return facts
}

export const firstStepsShowing = operation({
  name: 'show-first-steps',
  right: 'manage',
  find: lockedCourse,
  input: { value: yes },
  async run({ write, subject: { id, slug }, input: { value: isShown } }) {
    await write.updateTable('courses').set({ hides_first_steps: !isShown }).where('id', '=', id).execute()
    return { slug, isShown }
  },
})

export function registerFirstSteps(app: FastifyInstance): void {
  const key = (request: FastifyRequest) => textParam(request, 'course')
  openForm(app, '/courses/:course/first-steps', firstStepsShowing, {
    key,
    formPage: (request) => coursePath(key(request)),
    done: ({ slug }) => coursePath(slug),
    flash: (_, done) => `courses.flash.${done?.isShown === true ? 'stepsShown' : 'stepsHidden'}`,
  })
}
