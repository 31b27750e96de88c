import { randomBytes } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Translate } from '../messages/catalogue.ts'
import { translatorFor } from './appearance.ts'

/** What one person has of their own in pages that many see, beside name and tokens. */
export interface OwnParts {
  /** Things told that they have not seen. */
  readonly unseenCount: number
  /** Questions that some of these are about. */
  readonly unseenQuestions: ReadonlySet<number>
  /** Courses that they have opened, and until when they have read each as a whole, in milliseconds. */
  readonly readCourses: ReadonlyMap<number, number>
  /** What a slot says to them: plain text, '' for nothing. @param slot letters, digits, `.` and `-` */
  text(slot: string, t: Translate): string
}

/** Says what stands in a slot of a page: for one person the text itself, in a page that members share a placeholder for it. */
export type OwnText = (slot: string) => string

declare module 'fastify' {
  interface FastifyInstance {
    /** The own parts of a person; it never rejects: what cannot be read is left out of the page. */
    ownParts(personId: number): Promise<OwnParts>
  }
}

/** For templates: `own('unread.12.1763370000000.3.7')`. Visitors have nothing of their own. */
export async function ownTextOf(request: FastifyRequest): Promise<OwnText> {
  const { person, rendering, server } = request
  if (person === null) return () => ''
  if (rendering !== null) return placeholder
  const [own, t] = [await server.ownParts(person.id), translatorFor(request)]
  return (slot) => own.text(slot, t)
}

/** Never sent, and different in each process: no text can contain it. */
const SECRET = randomBytes(16).toString('hex')
/** A placeholder in a page, with the name of its slot. */
export const PLACEHOLDER = new RegExp(`placeholder-([\\w.-]+?)-${SECRET}`)

/** Stands in a page that many share for what each of them has of their own. @param slot letters, digits, `.` and `-` */
export const placeholder = (slot: string) => `placeholder-${slot}-${SECRET}`
