import type { Shown } from '../page-cache/shown.ts'
import type { QuestionFilter } from './list.ts'
import type { ListWindow } from './list-window.ts'

/** Tells what a page depends on as it is one of this list, whichever questions it shows. */
export function tellScope(shown: Shown, filter: QuestionFilter): void {
  // A new course, or one that is hidden, changes which courses lists are about.
  shown.add('courses')
  if (filter.tagId !== null) shown.add(`tag:${filter.tagId}`)
  if (filter.courseId !== null) shown.add(`course:${filter.courseId}`)
  // A tag that nothing carries yet.
  if (filter.tagId === 0) shown.add('tags')
}

/** Tells what the rows depend on: their questions, whoever wrote them, and which questions would be among them. */
export function tellRows(shown: Shown, { filter, states, above, below, places }: ListWindow): void {
  shown.list({ filter, states, above, below })
  for (const { id, author, course } of places) {
    shown.add(`question:${id}`, `name:${author}`, `asked:${author}`, `course:${course}`)
  }
}
