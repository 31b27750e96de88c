import type { FieldError } from '../../kernel/problem.ts'
import { type Hint, hintsFor } from '../../text/hints.ts'
import { languageIn, languageOf, languageOfPost } from '../../text/language.ts'
import type { RenderedText } from '../../text/markdown.ts'
import { withTypedNames } from '../../text/mentions.ts'
import { TAGS } from '../../text/tag-name.ts'
import type { FormState } from '../../web/form.ts'
import { type PageContext, page } from '../../web/page.ts'
import { type Address, queryParam } from '../../web/params.ts'
import { pathWith } from '../../web/paths.ts'
import type { AskableCourse } from '../courses/choices.ts'
import { DEFAULT_CATEGORY } from '../courses/commands.ts'
import { type CourseContext, pageOfCourse } from '../courses/course-page.ts'
import { responsePromise } from '../courses/promise.ts'
import { saidOfNames } from '../mentions/typed.ts'
import { POST_BODY, TITLE } from '../posts/form.ts'
import { findSimilar } from '../search/similar/similar.ts'
import { similarViews } from '../search/similar/similar-view.ts'
import { closedIn, placeIn } from './asked-in.ts'
import { opennessFields } from './openness-fields.ts'
import { withQuestionTitles } from './question-links.ts'

const BELOW_QUESTIONS = { place: 'questions', isBelow: true, showsTexts: true } as const

/** The ask form. @param courses that its author may ask in */
export const showForm = pageOfCourse(
  'questions/new',
  BELOW_QUESTIONS,
  async (context: CourseContext<AskableCourse>, courses: readonly AskableCourse[], form: FormState) => ({
    title: context.t('questions.new.title'),
    ...(await askFields(context, courses, form)),
    head: { about: context.course.title },
  }),
)

type PreviewedForm = FormState & {
  readonly values: { readonly title: string; readonly body: RenderedText; readonly tags: readonly string[] }
}

/** A question as it will look, what was asked like it before, and the form to change or post it. */
export const showPreview = pageOfCourse(
  'questions/preview',
  BELOW_QUESTIONS,
  async (
    context: CourseContext<AskableCourse>,
    courses: readonly AskableCourse[],
    form: PreviewedForm,
    isPlaced: boolean,
  ) => {
    const { t, db, server, viewer, course } = context
    const { title, tags } = form.values
    const { source: body, html } = form.values.body
    const [shown = html] = await withQuestionTitles(context, [withTypedNames(html)])
    const to = { title, body, tags, courseId: course.id, exceptId: null }
    const similar = await findSimilar(db, viewer, to, null, server.foundQuestions)
    return {
      title: t('similar.previewTitle'),
      ...(await askFields(context, courses, form)),
      hints: hintsFor({ title, body, template: course.questionTemplate }),
      body_html: shown,
      said: isPlaced ? saidOfNames(html, null) : [],
      titleLang: languageOf(title),
      bodyLang: languageOfPost(html),
      similar: similarViews(similar, viewer),
      // By whose words others may find one that answers it; null: it is private or anonymous.
      asked: form.typed.audience === 'staff' || form.typed.anonymous === '1' ? null : title,
    }
  },
)

/** The form says so where those who should read the question, or not see its asker's name, can't be chosen any more. */
async function askFields(
  context: CourseContext<AskableCourse>,
  courses: readonly AskableCourse[],
  form: FormState,
) {
  const { course } = context
  const { audience, anonymous } = form.typed
  const chosen = { audience: audience === 'staff' ? audience : null, anonymous: anonymous === '1' } as const
  const fields = questionFields(context, course, form)
  return {
    ...fields,
    form: withErrors(fields.form, closedIn(course, context.person(), chosen)),
    hasOthers: courses.length > 1,
    // What would make it easier to answer: said where it is previewed; before, a script says it.
    hints: noHints,
    openness: await opennessFields(context, form),
    promise: await responsePromise(context.db, course.id),
  }
}

const noHints: readonly Hint[] = []

const LINKED_FIELDS = ['lecture', 'title', 'tags'] as const

/** What the link that led here fills in: the lecture, the tag, or the search it stood on. */
export function askedAbout(address: Pick<Address, 'query'>): Record<string, string> {
  return Object.fromEntries(
    LINKED_FIELDS.flatMap((name) => {
      const value = queryParam(address, name)
      return value === null ? [] : [[name, value]]
    }),
  )
}

/** Which course to ask in, where there are several. What was typed before signing in stays kept for the one chosen. */
export const showCourses = page(
  'questions/choose-course',
  {},
  ({ t, query }, courses: readonly AskableCourse[]) => ({
    title: t('questions.chooseCourse.title'),
    courses: courses.map(({ slug, title }) => ({
      text: title,
      path: pathWith('/questions/new', {
        course: slug,
        kept: queryParam({ query }, 'kept'),
        ...askedAbout({ query }),
      }),
    })),
  }),
)

export type QuestionFields = ReturnType<typeof questionFields>

/** The fields of a question, for asking and editing: views/questions/_fields.eta. */
export function questionFields({ t }: Pick<PageContext, 't'>, course: AskableCourse, form: FormState) {
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
