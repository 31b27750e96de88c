import type { FastifyInstance } from 'fastify'
import { reachOf } from '../../kernel/rights/rights.ts'
import { page } from '../../web/page.ts'
import { deskPath, questionPath } from '../../web/paths.ts'
import { courseFor } from '../courses/find-course.ts'
import { registerDeskAnswers } from './answer.ts'
import { registerClaims } from './claims.ts'
import { registerClosing } from './closing.ts'
import { registerDuplicates } from './duplicates.ts'
import { registerMoving } from './moving.ts'
import { showDesk } from './page.ts'
import { deskCourses, deskPlace, placePath } from './place.ts'
import { nextOnDesk } from './queries.ts'
import { registerSavedAnswers } from './saved-answers.ts'

export function registerDesk(app: FastifyInstance): void {
  registerDuplicates(app)
  registerClosing(app)
  registerMoving(app)
  registerClaims(app)
  registerDeskAnswers(app)
  registerSavedAnswers(app)

  app.get('/desk', async (request, reply) => {
    const person = request.requirePerson()
    const courses = await deskCourses(app.db, reachOf(person, 'work-desk'))
    const [only] = courses
    if (only !== undefined && courses.length === 1) return reply.redirect(deskPath(only.slug), 303)
    return showDesks(request, reply, courses)
  })

  app.get('/courses/:course/desk', async (request, reply) => {
    return showDesk(request, reply, await courseFor(request, 'work-desk'))
  })

  app.get('/courses/:course/desk/next', async (request, reply) => {
    const course = await courseFor(request, 'work-desk')
    const place = await deskPlace(request, course)
    const next = await nextOnDesk(app.db, {
      courseId: course.id,
      lectureId: place.lecture?.id ?? null,
      viewerId: request.requirePerson().id,
    })
    return reply.redirect(next === null ? placePath(course.slug, place) : questionPath(next), 303)
  })
}

export const showDesks = page(
  'desk/index',
  { robots: 'noindex', isForStaff: true },
  ({ t }, courses: Awaited<ReturnType<typeof deskCourses>>) => ({
    title: t('desk.index.title'),
    courses: courses.map((course) => ({ ...course, path: deskPath(course.slug) })),
  }),
)
