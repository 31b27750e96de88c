import type { Message } from '../messages/catalogue.ts'

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
