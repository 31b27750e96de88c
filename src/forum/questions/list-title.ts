import type { FastifyRequest } from 'fastify'
import { translatorFor } from '../../web/language.ts'
import { queryParam } from '../../web/params.ts'
import type { QuestionListView } from './list-page.ts'

interface Titled {
  readonly list: QuestionListView
  readonly lecture: { readonly position: number; readonly title: string } | null
  /** Of the page that the list stands on. */
  readonly title: string
}

/**
 * The title of a list: what tells it from the page's other lists comes first, as tabs of a browser and screen readers begin there.
 * `Unanswered · Votes · Designing REST APIs`
 */
export function listTitle(request: FastifyRequest, { list, lecture, title }: Titled): string {
  const t = translatorFor(request)
  const tab = list.tabs.find((one) => one.isCurrent && one.name !== 'all')
  const sort = list.sorts.slice(1).find((one) => one.isCurrent)
  const further = (['after', 'before'] as const).find((name) => queryParam(request, name) !== null)
  const parts = [
    lecture === null
      ? null
      : t('questions.lecture.named', { position: lecture.position, title: lecture.title }),
    list.tag === null ? null : t('questions.tag.named', { tag: list.tag }),
    list.written,
    tab?.text,
    sort?.text,
    further && t(further === 'after' ? 'questions.pager.older' : 'questions.pager.newer'),
    title,
  ]
  return parts.filter(Boolean).join(' · ')
}
