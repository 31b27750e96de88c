import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isMissing } from '../../database/failures.ts'
import { postOnce } from '../../database/posted-once.ts'
import { requireRight } from '../../operations/require-right.ts'
import type { Person } from '../../rights/person.ts'
import { placeOf } from '../../rights/rights.ts'
import { isVisible } from '../../rights/visibility.ts'
import { type FormState, refuse, typedFields } from '../../web/form.ts'
import { countNewcomer, parsePost } from '../../web/limits/newcomers.ts'
import { onceOf } from '../../web/once.ts'
import { queryParam } from '../../web/params.ts'
import { pathWith, questionPath } from '../../web/paths.ts'
import { type AskableCourse, askableCourses } from '../courses/choices.ts'
import { endDraft } from '../drafts/commands.ts'
import { findTypedBefore, reopenedForm } from '../drafts/typed.ts'
import { placeIn } from './ask-form.ts'
import { askedAbout, showCourses, showForm, showPreview } from './ask-pages.ts'
import { opennessIn } from './audience.ts'
import { askQuestion } from './commands.ts'
import { flashOf, questionForm } from './form.ts'
import { saidAfterAsking } from './said-after-asking.ts'
import { untouched } from './template.ts'

/** Asking: the form, a look before posting, and posting it. */
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
    const form = reopenedForm(request, before, { ...askedAbout(request), body: course.questionTemplate })
    return showForm(request, reply, courses, course, form)
  })

  const config = {
    limit: 'posting',
    needsPerson: true,
    formPage: (request: FastifyRequest) =>
      pathWith('/questions/new', { course: typedFields(request.body).course || null }),
    keeps: questionForm.names,
  } as const
  app.post('/questions/preview', { config: { ...config, limit: 'preview' } }, async (request, reply) => {
    const person = request.requirePerson()
    const form = questionForm.parse(request.body)
    const courses = await askableCourses(app.db, person)
    const course = chooseCourse(courses, form.typed.course || null)
    if (course === null) return refuseCourse(request, reply, courses, form)
    const asked = questionIn(course, person, form)
    if (!asked.ok) return showForm(request, reply, courses, course, asked.form, 422)
    return showPreview(request, reply, courses, course, asked.form)
  })

  app.post('/questions', { config }, async (request, reply) => {
    const person = request.requirePerson()
    const form = parsePost(request, questionForm)
    const courses = await askableCourses(app.db, person)
    const course = chooseCourse(courses, form.typed.course || null)
    if (course === null) return refuseCourse(request, reply, courses, form)
    const asked = questionIn(course, person, form)
    if (!asked.ok) return showForm(request, reply, courses, course, asked.form, 422)
    const { title, audience } = asked.question
    const path = await postOnce(app.db, onceOf(request, person.id), async (write) => {
      const id = await askQuestion(write, asked.question)
      await countNewcomer(request, write, course.id)
      await endDraft(write, person.id, `/questions?course=${course.slug}`)
      return questionPath({ id, title, audience })
    }).catch(removedLecture)
    if (path === null) {
      const refused = refuse(form, 'lecture', 'questions.lecture.unknown')
      return showForm(request, reply, courses, course, refused, 422)
    }
    const { said, act } = await saidAfterAsking(app, person, course.id, flashOf('posted', form.typed), path)
    return reply.flash(said, act).redirect(path, 303)
  })
}

/** The course named; where none is named, the only one there is to ask in. */
function chooseCourse(courses: readonly AskableCourse[], slug: string | null): AskableCourse | null {
  const [first] = courses
  if (slug === null) return courses.length === 1 && first !== undefined ? first : null
  return courses.find((course) => course.slug === slug) ?? null
}

/** What a form asks in this course, or the form with what is wrong about it. */
function questionIn(course: AskableCourse, person: Person, form: ReturnType<typeof questionForm.parse>) {
  const empty = untouched(course, form)
  if (empty !== null) return { ok: false, form: empty } as const
  if (!form.ok) return { ok: false, form } as const
  const place = placeIn(course, form, form.values)
  if (!place.ok) return place
  const openness = opennessIn(course, person, form, form.values)
  if (!openness.ok) return openness
  const { title, body, tags } = form.values
  const { categoryId, lectureId } = place
  const { audience, isAnonymous } = openness
  const written = { courseId: course.id, authorId: person.id, title, body, tags }
  return { ok: true, form, question: { ...written, categoryId, lectureId, audience, isAnonymous } } as const
}

/** null: the lecture was removed while the question was posted. */
function removedLecture(error: unknown): null {
  if (isMissing(error, 'questions_lecture_fkey')) return null
  throw error
}

/** @throws Problem 403 when the course named is one that they read and may not ask in */
async function requireAskable({ server, person }: FastifyRequest, slug: string | null): Promise<void> {
  const course = slug === null ? null : await server.courses.findCourse(slug)
  if (course !== null && isVisible(person, course)) requireRight(person, 'ask', placeOf(course))
}

/** A question for a course that is not there keeps its text: the form comes back for the first course there is. */
async function refuseCourse(
  request: FastifyRequest,
  reply: FastifyReply,
  courses: readonly AskableCourse[],
  form: FormState,
) {
  await requireAskable(request, form.typed.course || null)
  const [first] = courses
  if (first === undefined) return showCourses(request, reply, courses, 422)
  return showForm(request, reply, courses, first, refuse(form, 'course', 'questions.course.unknown'), 422)
}
