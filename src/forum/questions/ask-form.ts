import type { FastifyRequest } from 'fastify'
import { languageIn } from '../../text/language.ts'
import { TAGS } from '../../text/tag-name.ts'
import type { FormState } from '../../web/form.ts'
import { translatorFor } from '../../web/language.ts'
import type { AskableCourse } from '../courses/choices.ts'
import { DEFAULT_CATEGORY } from '../courses/commands.ts'
import { POST_BODY, TITLE } from './form.ts'

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
  /** What there is to choose; null: nothing, the field is left out. */
  readonly lectures: readonly Option[] | null
  readonly categories: readonly Option[] | null
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
  const none = { value: '', text: t('questions.lecture.none'), selected: lecture === '' }
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
  return {
    form,
    lectures: lectures.length === 0 ? null : [none, ...lectures],
    categories: categories.length < 2 ? null : categories,
    limits: { title: TITLE.max, body: POST_BODY.max, tags: TAGS.most },
    template: course.questionTemplate,
    peoplePath: `/mentions/courses/${encodeURIComponent(course.slug)}`,
    course: { id: course.id, slug: course.slug, title: course.title },
  }
}
