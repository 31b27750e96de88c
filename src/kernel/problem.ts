import type { Message } from '../messages/catalogue.ts'

/**
 * Why something that was asked for is not done, whatever asked for it. Thrown anywhere below a door; each door shows it in its own
 * way. `key` chooses the words: errors.<key>.title and errors.<key>.text.
 */
export class Problem extends Error {
  readonly key: ProblemName
  /** Seconds after which trying again makes sense. */
  readonly retryAfter: number | null

  constructor(key: ProblemName, retryAfter: number | null = null) {
    super(key)
    this.key = key
    this.retryAfter = retryAfter
  }

  get title(): Message {
    return { key: `errors.${this.words}.title` }
  }

  get text(): Message {
    return { key: `errors.${this.words}.text` }
  }

  /** A value that was read but isn't allowed is reported like one that can't be read. */
  private get words(): string {
    return this.key === 'invalid' ? 'badRequest' : this.key
  }
}

export type ProblemName =
  | 'badRequest'
  | 'invalid'
  | 'forbidden'
  | 'leaving'
  | 'archived'
  | 'suspended'
  | 'closed'
  | 'keptPrivate'
  | 'staleForm'
  | 'unanswered'
  | 'foreignForm'
  | 'handedOn'
  | 'alreadySuspended'
  | 'ownDecision'
  | 'notFound'
  | 'gone'
  | 'tooLarge'
  | 'tooOften'
  | 'tooSlow'
  | 'firstDay'
  | 'notAForm'
  | 'unavailable'
  | 'broken'

export const notFound = () => new Problem('notFound')
export const gone = () => new Problem('gone')
export const forbidden = () => new Problem('forbidden')

/** Thrown where a visitor asks for what only signed-in people have. */
export class NeedsSignIn extends Error {}

/** An error in a field of an operation's input: a message key with its values, which each door shows in its own way. */
export interface FieldError {
  readonly field: string
  readonly message: Message
}

/** Thrown where an operation cannot take its input; nothing is written then. */
export class Refused extends Error {
  readonly errors: readonly FieldError[]

  constructor(errors: readonly FieldError[]) {
    super(errors.map(({ field, message }) => `${field}: ${message.key}`).join(', '))
    this.errors = errors
  }
}

/** A refusal for one reason. @throws never; the caller throws it */
export function refusal(field: string, key: string, values?: Message['values']): Refused {
  return new Refused([{ field, message: values === undefined ? { key } : { key, values } }])
}

/** Thrown where somebody else changed something since its edit began, to something else than is wished. Nothing is changed. */
export class EditedMeanwhile extends Error {
  constructor() {
    super('somebody else changed it')
  }
}
