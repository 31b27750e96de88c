import type { FastifyInstance } from 'fastify'
import type { Change } from '../changes/change.ts'
import { type Cursor, type Page, type PageRequest, pageOf } from '../database/keyset.ts'
import { translatorOf } from '../messages/catalogue.ts'
import { type Part, Shown } from '../page-cache/shown.ts'
import type { Actor } from '../rights.ts'
import { pageLinks } from '../web/pages.ts'
import { PAGE_SIZE, type StandingQuestion } from './list.ts'
import { tellRows } from './list-shown.ts'
import { type ListWindow, windowAfter } from './list-window.ts'
import type { RowLook } from './question-rows.ts'

/** How a page of a list is shown, and to whom. */
export interface ListLook extends RowLook {
  readonly viewer: Actor | null
  /** The courses that the viewer may read. */
  readonly courses: readonly number[]
  readonly request: PageRequest
  /** The list's path without a query, and the parameters that stay from page to page. */
  readonly path: string
  readonly parameters: Readonly<Record<string, string | number | null>>
}

/** A row of a list as HTML, and where it stands. */
interface Row extends Cursor {
  readonly html: string
}

/** HTML of the rows of a list and the links to the pages around: views/questions/_rows.eta. '': there is none. */
export function rowsHtml(app: FastifyInstance, look: ListLook, page: Page<Row>): string {
  if (page.rows.length === 0) return ''
  return app.part('/questions/_rows', {
    t: translatorOf(look.language),
    rows: page.rows.map((row) => row.html),
    ...pageLinks(page, (row) => row, look.path, look.parameters),
  })
}

/**
 * The rows of a list as a part of its page: after most changes they are known without asking for the list again.
 * @param rows those that `html` is made of
 */
export function listPart(
  app: FastifyInstance,
  look: ListLook,
  window: ListWindow,
  rows: readonly Row[],
  html: string,
): Part {
  const shown = new Shown()
  tellRows(shown, window)
  const again = async (changes: readonly Change[]) => {
    const changed = questionsOf(changes)
    if (changed === null) return null
    // Where they stand is not taken from the changes, which may overtake each other.
    const found = await app.listedQuestions.of(look.viewer, changed)
    const next = windowAfterAll(window, [...found.values()], look.courses)
    if (next === null || found.size < changed.length) return null
    const page = pageOf(next.places, PAGE_SIZE, look.request)
    const known = new Map(rows.map((row) => [row.id, row.html]))
    for (const [id, { question }] of found) known.set(id, app.questionRows.html(question, look))
    const nextRows = page.rows.map(({ id, value }) => ({ id, value, html: known.get(id) ?? '' }))
    if (nextRows.some((row) => row.html === '')) return null
    return listPart(app, look, next, nextRows, rowsHtml(app, look, { ...page, rows: nextRows }))
  }
  return { html, shown, again }
}

/** Ids of the questions that changed, each once; null: something else has. */
function questionsOf(changes: readonly Change[]): number[] | null {
  const ids = new Set<number>()
  for (const change of changes) {
    if (!('question' in change)) return null
    ids.add(change.question)
  }
  return [...ids]
}

function windowAfterAll(
  window: ListWindow,
  questions: readonly StandingQuestion[],
  courses: readonly number[],
): ListWindow | null {
  let next: ListWindow | null = window
  for (const { standing } of questions) {
    if (next === null) return null
    next = windowAfter(next, standing, courses.includes(standing.course))
  }
  return next
}
