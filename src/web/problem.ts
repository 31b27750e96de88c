import type { Message } from '../messages/catalogue.ts'

/**
 * An answer other than the page that was asked for. Thrown anywhere below a route; errors.ts makes the page of it.
 * `name` chooses the words: errors.<name>.title and errors.<name>.text.
 */
export class Problem extends Error {
  readonly status: number
  readonly key: ProblemName
  /** Seconds after which trying again makes sense. */
  readonly retryAfter: number | null

  constructor(status: number, key: ProblemName, retryAfter: number | null = null) {
    super(key)
    this.status = status
    this.key = key
    this.retryAfter = retryAfter
  }

  get title(): Message {
    return { key: `errors.${this.key}.title` }
  }

  get text(): Message {
    return { key: `errors.${this.key}.text` }
  }
}

export type ProblemName =
  | 'badRequest'
  | 'forbidden'
  | 'leaving'
  | 'archived'
  | 'staleForm'
  | 'unanswered'
  | 'foreignForm'
  | 'notFound'
  | 'gone'
  | 'tooLarge'
  | 'tooOften'
  | 'tooSlow'
  | 'firstDay'
  | 'notAForm'
  | 'unavailable'
  | 'broken'

export const notFound = () => new Problem(404, 'notFound')
export const gone = () => new Problem(410, 'gone')
export const forbidden = () => new Problem(403, 'forbidden')
