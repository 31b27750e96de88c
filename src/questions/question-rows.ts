import { LRUCache } from 'lru-cache'
import type { Language } from '../database/schema.ts'
import { translatorOf } from '../messages/catalogue.ts'
import { inOnePiece } from '../text/in-one-piece.ts'
import type { ListedQuestion } from './list.ts'
import { type QuestionRow, questionRow, type RowOptions } from './row.ts'

/** Characters of all rows that are remembered. */
const ROOM = 3_000_000

/** Renders views/questions/_question-row.eta. */
type Render = (data: { readonly t: RowOptions['t']; readonly question: QuestionRow }) => string

/** How a row is shown. */
export interface RowLook extends Omit<RowOptions, 't'> {
  readonly language: Language
}

/**
 * HTML of the rows of lists, by all that they show: most rows of a list are as they were when it is made again, and are on
 * other lists too.
 */
export class QuestionRows {
  private readonly render: Render
  private readonly known = new LRUCache<string, string>({
    maxSize: ROOM,
    sizeCalculation: (html, key) => html.length + key.length,
  })

  constructor(render: Render) {
    this.render = render
  }

  html(question: ListedQuestion, { language, timeZone, showCourse }: RowLook): string {
    const options = { timeZone, showCourse }
    const key = JSON.stringify([question, language, options])
    const known = this.known.get(key)
    if (known !== undefined) return known
    const t = translatorOf(language)
    const html = inOnePiece(this.render({ t, question: questionRow(question, { t, ...options }) }))
    this.known.set(key, html)
    return html
  }
}
