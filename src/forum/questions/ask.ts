import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { requestAfterFirstQuestion } from '../../accounts/address/email-confirmation.ts'
import { referenceIn } from '../../database/failures.ts'
import { type FieldError, Refused } from '../../kernel/problem.ts'
import { requireRight } from '../../kernel/require-right.ts'
import { placeOf } from '../../kernel/rights/rights.ts'
import { isVisible } from '../../kernel/rights/visibility.ts'
import { type FormState, refuse, typedFields, typedIn } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { queryParam } from '../../web/params.ts'
import { pathWith, questionPath } from '../../web/paths.ts'
import { type AskableCourse, askableCourses } from '../courses/choices.ts'
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
    const person = request.requirePerson()
    const courses = await askableCourses(app.db, person)
    const before = await findTypedBefore(request, '/questions')
    const slug = queryParam(request, 'course') ?? (before?.fields.course || null)
    const course = chooseCourse(courses, slug)
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
    const courses = await askableCourses(app.db, person)
    const course = chooseCourse(courses, form.typed.course || null)
    if (course === null) return refuseCourse(request, reply, form)
    if (!form.ok) return showForm(request, reply.code(422), course, courses, form)
    const errors = refusedBy(() => placedIn(course, person, form.values))
    if (errors.length > 0) return showForm(request, reply.code(422), course, courses, { ...form, errors })
    return showPreview(request, reply, course, courses, form, isPlaced)
  })

  openForm(app, '/questions', askQuestion, {
    async key(request) {
      const courses = await askableCourses(app.db, request.requirePerson())
      const course = chooseCourse(courses, typedFields(request.body).course || null)
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
      if (error instanceof NoSuchCourse) return refuseCourse(request, reply, form)
      // The lecture was removed while the question was posted.
      if (referenceIn(error) === 'questions_lecture_fkey')
        return showAgain(request, reply, refuse(form, 'lecture', 'questions.lecture.unknown'))
      return null
    },
  })
}

class NoSuchCourse extends Error {}

function refusedBy(check: () => unknown): readonly FieldError[] {
  try {
    check()
    return []
  } catch (error) {
    if (error instanceof Refused) return error.errors
    throw error
  }
}

async function showAgain(request: FastifyRequest, reply: FastifyReply, form: FormState) {
  const courses = await askableCourses(request.server.db, request.requirePerson())
  const course = chooseCourse(courses, form.typed.course || null)
  if (course === null) return refuseCourse(request, reply, form)
  return showForm(request, reply.code(422), course, courses, form)
}

/** The course named; where none is named, the only one there is to ask in. */
function chooseCourse(courses: readonly AskableCourse[], slug: string | null): AskableCourse | null {
  const [first] = courses
  if (slug === null) return courses.length === 1 && first !== undefined ? first : null
  return courses.find((course) => course.slug === slug) ?? null
}

/** @throws Problem 403 when the course named is one that they read and may not ask in */
async function requireAskable({ server, person }: FastifyRequest, slug: string | null): Promise<void> {
  const course = slug === null ? null : await server.courses.findCourse(slug)
  if (course !== null && isVisible(person, course)) requireRight(person, 'ask', placeOf(course))
}

/** A question for a course that is not there keeps its text: the form comes back for the first course there is. */
async function refuseCourse(request: FastifyRequest, reply: FastifyReply, form: FormState) {
  const courses = await askableCourses(request.server.db, request.requirePerson())
  await requireAskable(request, form.typed.course || null)
  const [first] = courses
  if (first === undefined) return showCourses(request, reply.code(422), courses)
  const refused = refuse(form, 'course', 'questions.course.unknown')
  return showForm(request, reply.code(422), first, courses, refused)
}

/** What somebody is told who has just asked: that it is posted, how soon an answer can be expected, and how they hear of it. */
async function saidAfterAsking(
  request: FastifyRequest,
  question: { readonly id: number; readonly course: { readonly id: number } },
  posted: string,
  path: string,
) {
  const { server } = request
  const [{ said: written }, expected, confirming] = await Promise.all([
    saidOfPost(request, 'questions', question.id, posted),
    expectedAnswerTime(server.db, question.course.id),
    requestAfterFirstQuestion(server, request.requirePerson(), path),
  ])
  const said = [...written, ...expected, ...(confirming === null ? [] : [confirming.said])]
  return { said, act: confirming?.act }
}
