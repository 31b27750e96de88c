import { z } from 'zod'

const id = z.number().int()

const message = z.object({
  /** A row of this question changed: of itself, or of its answers, replies, tags or followers. */
  question: id.optional(),
  /** With a question: its course. Alone: the course itself, its lectures, categories or staff. */
  course: id.optional(),
  /** Something of this person that a session or a profile goes by. */
  person: id.optional(),
  /** A job of this kind was added: src/jobs. */
  job: z.string().optional(),
  /** Scopes that the change touches; `*`: all there are. */
  scopes: z.array(z.string()),
})

/** What a committed transaction changed, as db/schema/functions/changes.sql announces it on channel `changes`: ids, no data. */
export type Change = Readonly<z.infer<typeof message>>

/** Reads a message of the channel. One that is not understood may be about anything. */
export function readChange(text: string): Change {
  try {
    return message.parse(JSON.parse(text))
  } catch {
    return { scopes: ['*'] }
  }
}

/** Whether anything at all may have changed. */
export function touchesEverything({ scopes }: Change): boolean {
  return scopes.includes('*')
}
