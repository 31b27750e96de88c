import type { FastifyRequest } from 'fastify'
import type { FieldError } from '../../operations/refused.ts'
import { languageIn } from '../../text/language.ts'
import { TAGS } from '../../text/tag-name.ts'
import type { FormState } from '../../web/form.ts'
import { translatorFor } from '../../web/language.ts'
import type { AskableCourse } from '../courses/choices.ts'
import { DEFAULT_CATEGORY } from '../courses/commands.ts'
import { POST_BODY, TITLE } from '../posts/form.ts'
import { placeIn } from './asked-in.ts'

export interface Option {
  readonly value: string
  readonly text: string
  readonly selected: boolean
  /** The language of a text that someone wrote. */
  readonly lang?: string
}

/** The fields of a question, for asking and editing: views/questions/_fields.eta. */
export interface QuestionFields {
  readonly form: FormState
  /** What there is to choose, and what was chosen and is gone. */
  readonly lectures: readonly Option[]
  readonly categories: readonly Option[]
  /** false: there is nothing to choose, and the field waits for a draft that did. */
  readonly hasLectures: boolean
  readonly hasCategories: boolean
  /** What the hints tell: characters of title and body, number of tags. */
  readonly limits: { readonly title: number; readonly body: number; readonly tags: number }
  /** Where those are asked for whom it can mention. */
  readonly peoplePath: string
  /** What the course's questions begin with: in a text it is nobody's words. */
  readonly template: string
  /** Whose tags are suggested. */
  readonly course: { readonly id: number; readonly slug: string; readonly title: string }
}

export function questionFields(
  request: FastifyRequest,
  course: AskableCourse,
  form: FormState,
): QuestionFields {
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
    lectures: [none, ...lectures, ...goneLectures],
    hasLectures: lectures.length + goneLectures.length > 0,
    categories: [...categories, ...goneCategories],
    hasCategories: categories.length + goneCategories.length > 1,
    limits: { title: TITLE.max, body: POST_BODY.max, tags: TAGS.most },
    template: course.questionTemplate,
    peoplePath: `/mentions/courses/${encodeURIComponent(course.slug)}`,
    course: { id: course.id, slug: course.slug, title: course.title },
  }
}

/** A form that also says what is wrong about fields of which it says nothing yet: a draft's choices may be gone when it comes back. */
export function withErrors(form: FormState, errors: readonly FieldError[]): FormState {
  const said = new Set(form.errors.map(({ field }) => field))
  return { ...form, errors: [...form.errors, ...errors.filter(({ field }) => !said.has(field))] }
}
