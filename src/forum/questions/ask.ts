import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { requestAfterFirstQuestion } from '../../accounts/address/email-confirmation.ts'
import { referenceIn } from '../../database/failures.ts'
import { Refused } from '../../kernel/problem.ts'
import { requireRight } from '../../kernel/require-right.ts'
import { placeOf } from '../../kernel/rights/rights.ts'
import { isVisible } from '../../kernel/rights/visibility.ts'
import { type FormState, refuse, typedFields, typedIn } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { queryParam } from '../../web/params.ts'
import { pathWith, questionPath } from '../../web/paths.ts'
import { askableCourses } from '../courses/choices.ts'
import { expectedAnswerTime } from '../courses/promise.ts'
import { endDraft } from '../drafts/draft.ts'
import { findTypedBefore, reopenedForm } from '../drafts/typed.ts'
import { asked, flashOf, questionForm } from '../posts/form.ts'
import { saidOfPost } from '../posts/mentions.ts'
import { asPosted } from './as-posted.ts'
import { askedAbout, showCourses, showForm, showPreview } from './ask-pages.ts'
import { placedIn } from './asked-in.ts'
import { askQuestion } from './operations.ts'

export function registerAsking(app: FastifyInstance): void {
  app.get('/questions/new', async (request, reply) => {
    request.requirePerson()
    const before = await findTypedBefore(request, '/questions')
    const slug = queryParam(request, 'course') ?? (before?.fields.course || null)
    const { courses, course } = await askable(request, slug)
    if (course === null) {
      await requireAskable(request, slug)
      return showCourses(request, reply, courses)
    }
    const { lecture = '', ...about } = askedAbout(request)
    const isThere = course.lectures.some(({ position }) => String(position) === lecture)
    const begun = { ...about, ...(isThere ? { lecture } : {}), body: course.questionTemplate }
    const form = reopenedForm(request, before, begun)
    return showForm(request, reply, course, courses, form)
  })

  const formPage = (request: FastifyRequest) =>
    pathWith('/questions/new', { course: typedFields(request.body).course || null })
  const previewing = { limit: 'preview', needsPerson: true, formPage, keeps: questionForm.names } as const
  app.post('/questions/preview', { config: previewing }, async (request, reply) => {
    const person = request.requirePerson()
    const { fields, isPlaced } = await asPosted(request)
    const form = {
      ...(await questionForm.parse({ body: fields, person })),
      typed: typedIn(request.body, questionForm.names),
    }
    const { courses, course } = await askable(request, form.typed.course || null)
    if (course === null || !form.ok) return showAgain(request, reply, form)
    try {
      placedIn(course, person, form.values)
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      return showAgain(request, reply, { ...form, errors: error.errors })
    }
    return showPreview(request, reply, course, courses, form, isPlaced)
  })

  openForm(app, '/questions', askQuestion, {
    async key(request) {
      const { course } = await askable(request, typedFields(request.body).course || null)
      if (course === null) throw new NoSuchCourse()
      return course.slug
    },
    formPage,
    keeps: ['course', ...Object.keys(asked)],
    done: questionPath,
    also: async (write, request, { course }) => {
      const typed = typedIn(request.body, ['title', 'body'])
      await endDraft(write, request.requirePerson().id, `/questions?course=${course.slug}`, typed)
    },
    flash: async (request, done, path) => {
      const posted = flashOf('posted', typedIn(request.body, ['tags']))
      return done === null ? posted : saidAfterAsking(request, done, posted, path)
    },
    refused: showAgain,
    failed(request, reply, error, form) {
      if (error instanceof NoSuchCourse) return showAgain(request, reply, form)
      // The lecture was removed while the question was posted.
      if (referenceIn(error) === 'questions_lecture_fkey')
        return showAgain(request, reply, refuse(form, 'lecture', 'questions.lecture.unknown'))
      return null
    },
  })
}

class NoSuchCourse extends Error {}

/** The ask form again, in the course that it was for; of a course that is not there with its text, in the first there is. */
async function showAgain(request: FastifyRequest, reply: FastifyReply, form: FormState) {
  const slug = form.typed.course || null
  const { courses, course } = await askable(request, slug)
  if (course !== null) return showForm(request, reply.code(422), course, courses, form)
  await requireAskable(request, slug)
  const [first] = courses
  if (first === undefined) return showCourses(request, reply.code(422), courses)
  const refused = refuse(form, 'course', 'questions.course.unknown')
  return showForm(request, reply.code(422), first, courses, refused)
}

/** The courses to ask in, and of these the one named; where none is named, the only one there is. */
async function askable({ server, person }: FastifyRequest, slug: string | null) {
  const courses = await askableCourses(server.db, person)
  const named = slug === null && courses.length === 1 ? courses : courses.filter((one) => one.slug === slug)
  return { courses, course: named[0] ?? null }
}

/** @throws Problem 403 when the course named is one that they read and may not ask in */
async function requireAskable({ server, person }: FastifyRequest, slug: string | null): Promise<void> {
  const course = slug === null ? null : await server.courses.findCourse(slug)
  if (course !== null && isVisible(person, course)) requireRight(person, 'ask', placeOf(course))
}

/** What somebody is told who has just asked: that it is posted, how soon an answer can be expected, and how they hear of it. */
async function saidAfterAsking(
  request: FastifyRequest,
  question: { readonly id: number; readonly isHeld: boolean; readonly course: { readonly id: number } },
  posted: string,
  path: string,
) {
  const { server } = request
  const [{ said: written }, expected, confirming] = await Promise.all([
    saidOfPost(request, 'questions', question, posted),
    question.isHeld ? [] : expectedAnswerTime(server.db, question.course.id),
    requestAfterFirstQuestion(server, request.requirePerson(), path),
  ])
  const said = [...written, ...expected, ...(confirming === null ? [] : [confirming.said])]
  return { said, act: confirming?.act }
}
