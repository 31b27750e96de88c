import type { FastifyInstance, FastifyRequest } from 'fastify'
import { reachOf } from '../../kernel/rights/rights.ts'
import { translatorFor } from '../../web/language.ts'
import { deskPath, questionPath } from '../../web/paths.ts'
import { courseFor } from '../courses/find-course.ts'
import { registerDeskAnswers } from './answer.ts'
import { registerClaims } from './claims.ts'
import { registerDuplicates } from './duplicates.ts'
import { showDesk } from './page.ts'
import { deskCourses, deskPlace, placePath } from './place.ts'
import { nextOnDesk } from './queries.ts'
import { registerSavedAnswers } from './saved-answers.ts'

export function registerDesk(app: FastifyInstance): void {
  registerDuplicates(app)
  registerClaims(app)
  registerDeskAnswers(app)
  registerSavedAnswers(app)

  app.get('/desk', async (request, reply) => {
    const person = request.requirePerson()
    const courses = await deskCourses(app.db, reachOf(person, 'work-desk'))
    const [only] = courses
    if (only !== undefined && courses.length === 1) return reply.redirect(deskPath(only.slug), 303)
    return reply.page('desk/index', desksPage(request, courses), { robots: 'noindex', isForStaff: true })
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

export function desksPage(request: FastifyRequest, courses: Awaited<ReturnType<typeof deskCourses>>) {
  return {
    title: translatorFor(request)('desk.index.title'),
    courses: courses.map(({ slug, title, isArchived, waitingCount }) => ({
      text: title,
      path: deskPath(slug),
      isArchived,
      waitingCount,
    })),
  }
}
