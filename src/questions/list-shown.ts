import type { Shown } from '../page-cache/shown.ts'
import type { ListPage, QuestionFilter } from './list.ts'
import { statesOf } from './list-places.ts'

/** Tells what a page with a list depends on: its rows, whoever wrote them, and which questions would be on it. */
export function tellList(shown: Shown, filter: QuestionFilter, page: ListPage): void {
  const { above, below } = page
  shown.list({ filter, states: statesOf(filter), above, below })
  // A first question, or a course that is hidden, changes which courses lists are about.
  shown.add('courses')
  for (const { id, author_id: author, course_id: course } of page.read) {
    shown.add(`question:${id}`, `name:${author}`, `asked:${author}`, `course:${course}`)
  }
  if (filter.tagId !== null) shown.add(`tag:${filter.tagId}`)
  if (filter.courseId !== null) shown.add(`course:${filter.courseId}`)
}
