import type { FastifyReply, FastifyRequest } from 'fastify'
import type { FieldError } from '../../kernel/problem.ts'
import { type Hint, hintsFor } from '../../text/hints.ts'
import { languageIn, languageOf, languageOfPost } from '../../text/language.ts'
import type { RenderedText } from '../../text/markdown.ts'
import { withTypedNames } from '../../text/mentions.ts'
import { TAGS } from '../../text/tag-name.ts'
import type { FormState } from '../../web/form.ts'
import { translatorFor } from '../../web/language.ts'
import { contextOf } from '../../web/page.ts'
import { queryParam } from '../../web/params.ts'
import { pathWith } from '../../web/paths.ts'
import type { AskableCourse } from '../courses/choices.ts'
import { DEFAULT_CATEGORY } from '../courses/commands.ts'
import { barOf } from '../courses/course-bar.ts'
import { responsePromise } from '../courses/promise.ts'
import { saidOfNames } from '../mentions/typed.ts'
import { POST_BODY, TITLE } from '../posts/form.ts'
import { findSimilar } from '../search/similar/similar.ts'
import { similarViews } from '../search/similar/similar-view.ts'
import { closedIn, placeIn } from './asked-in.ts'
import { opennessFields } from './openness-fields.ts'
import { withQuestionTitles } from './question-links.ts'

/** The ask form; `status` 422 when it was refused. */
export async function showForm(
  request: FastifyRequest,
  reply: FastifyReply,
  courses: readonly AskableCourse[],
  course: AskableCourse,
  form: FormState,
  status = 200,
) {
  return reply.page('questions/new', await askPage(request, courses, course, form), {
    status,
    about: course.title,
    showsTexts: true,
    course: course.slug,
    bar: await barOf(contextOf(request), course, 'questions', true),
  })
}

export async function askPage(
  request: FastifyRequest,
  courses: readonly AskableCourse[],
  course: AskableCourse,
  form: FormState,
) {
  const title = translatorFor(request)('questions.new.title')
  return { title, ...(await askFields(request, courses, course, form)) }
}

/** A question as it will look, what was asked like it before, and the form to change or post it. */
export async function showPreview(
  request: FastifyRequest,
  reply: FastifyReply,
  courses: readonly AskableCourse[],
  course: AskableCourse,
  form: PreviewedForm,
  isPlaced: boolean,
) {
  const bar = await barOf(contextOf(request), course, 'questions', true)
  const page = await askPreview(request, courses, course, form, isPlaced)
  return reply.page('questions/preview', page, { showsTexts: true, course: course.slug, bar })
}

type PreviewedForm = FormState & {
  readonly values: { readonly title: string; readonly body: RenderedText; readonly tags: readonly string[] }
}

export async function askPreview(
  request: FastifyRequest,
  courses: readonly AskableCourse[],
  course: AskableCourse,
  form: PreviewedForm,
  isPlaced: boolean,
) {
  const t = translatorFor(request)
  const { title, tags } = form.values
  const { source: body, html } = form.values.body
  const [shown = html] = await withQuestionTitles(request, [withTypedNames(html)])
  const { db, foundQuestions } = request.server
  const to = { title, body, tags, courseId: course.id, exceptId: null }
  const similar = await findSimilar(db, request.person, to, null, foundQuestions)
  return {
    title: t('similar.previewTitle'),
    ...(await askFields(request, courses, course, form)),
    hints: hintsFor({ title, body, template: course.questionTemplate }),
    body_html: shown,
    said: isPlaced ? saidOfNames(html, null) : [],
    titleLang: languageOf(title),
    bodyLang: languageOfPost(html),
    similar: similarViews(similar, request.person),
    // By whose words others may find one that answers it; null: it is private or anonymous.
    asked: form.typed.audience === 'staff' || form.typed.anonymous === '1' ? null : title,
  }
}

/** The form says so where those who should read the question, or not see its asker's name, can't be chosen any more. */
async function askFields(
  request: FastifyRequest,
  courses: readonly AskableCourse[],
  course: AskableCourse,
  form: FormState,
) {
  const { audience, anonymous } = form.typed
  const chosen = { audience: audience === 'staff' ? audience : null, anonymous: anonymous === '1' } as const
  const fields = questionFields(request, course, form)
  return {
    ...fields,
    form: withErrors(fields.form, closedIn(course, request.requirePerson(), chosen)),
    hasOthers: courses.length > 1,
    // What would make it easier to answer: said where it is previewed; before, a script says it.
    hints: noHints,
    openness: await opennessFields(request, course, form),
    promise: await responsePromise(request.server.db, course.id),
  }
}

const noHints: readonly Hint[] = []

const LINKED_FIELDS = ['lecture', 'title', 'tags'] as const

/** What the link that led here fills in: the lecture, the tag, or the search it stood on. */
export function askedAbout(request: FastifyRequest): Record<string, string> {
  return Object.fromEntries(
    LINKED_FIELDS.flatMap((name) => {
      const value = queryParam(request, name)
      return value === null ? [] : [[name, value]]
    }),
  )
}

/** Which course to ask in, where there are several. What was typed before signing in stays kept for the one chosen. */
export async function showCourses(
  request: FastifyRequest,
  reply: FastifyReply,
  courses: readonly AskableCourse[],
  status = 200,
) {
  return reply.page('questions/choose-course', courseChoice(request, courses), { status })
}

export function courseChoice(request: FastifyRequest, courses: readonly AskableCourse[]) {
  const t = translatorFor(request)
  const kept = queryParam(request, 'kept')
  const links = courses.map(({ slug, title }) => ({
    text: title,
    path: pathWith('/questions/new', { course: slug, kept, ...askedAbout(request) }),
  }))
  return { title: t('questions.chooseCourse.title'), courses: links }
}

export type AskPage = Awaited<ReturnType<typeof askPage>>
export type QuestionFields = ReturnType<typeof questionFields>

/** The fields of a question, for asking and editing: views/questions/_fields.eta. */
export function questionFields(request: FastifyRequest, course: AskableCourse, form: FormState) {
  const t = translatorFor(request)
  const { lecture = '', category = '' } = form.typed
  const chosen = { lecture: lecture === '' ? null : Number(lecture), category: category || null }
  const goneOption = (value: string) => ({ value, text: t('forms.gone', { value }), selected: true })
  const { errors } = placeIn(course, chosen)
  const goneOptions = (name: string, value: string) =>
    errors.some(({ field }) => field === name) ? [goneOption(value)] : []
  const lectures = course.lectures.map(({ position, title }) => ({
    value: String(position),
    text: t('questions.lecture.option', { position, title }),
    lang: languageIn(course.language, title),
    selected: String(position) === lecture,
  }))
  const categories = course.categories.map(({ slug, name }) => ({
    value: slug,
    text: slug === DEFAULT_CATEGORY.slug ? t('questions.category.default') : name,
    selected: slug === category,
  }))
  const goneLectures = goneOptions('lecture', lecture)
  const goneCategories = goneOptions('category', category)
  const none = { value: '', text: t('questions.lecture.none'), selected: lecture === '' }
  return {
    form: withErrors(form, errors),
    // What there is to choose, and what was chosen and is gone. Without any the field waits for a draft that chose one.
    lectures: [none, ...lectures, ...goneLectures],
    hasLectures: lectures.length + goneLectures.length > 0,
    categories: [...categories, ...goneCategories],
    hasCategories: categories.length + goneCategories.length > 1,
    // What the hints tell.
    limits: { title: TITLE.max, body: POST_BODY.max, tags: TAGS.most },
    template: course.questionTemplate,
    peoplePath: `/mentions/courses/${encodeURIComponent(course.slug)}`,
    // Whose tags are suggested.
    course: { id: course.id, slug: course.slug, title: course.title },
  }
}

/** A form that also says what is wrong about fields of which it says nothing yet: a draft's choices may be gone when it comes back. */
function withErrors(form: FormState, errors: readonly FieldError[]): FormState {
  const said = new Set(form.errors.map(({ field }) => field))
  return { ...form, errors: [...form.errors, ...errors.filter(({ field }) => !said.has(field))] }
}
