import { randomBytes } from 'node:crypto'
import type { Person } from '../accounts/person.ts'

/** Whom a page for many people is made for: what the page goes by, and nobody. */
export interface Reader extends Person {
  readonly id: 0
  readonly displayName: ''
  readonly email: null
  readonly newUntil: null
}

/**
 * Somebody with the rights and settings of a person, who wrote nothing, voted for nothing and has no name. Pages are kept by
 * all that is left: whatever else a person is known by later can make them more, and never another one's.
 * @param isPublic whether everybody may read a course: to be a learner there is no right of its own
 */
export function readerLike(person: Person, isPublic: (courseId: number) => boolean): Reader {
  const roles = Object.fromEntries(
    Object.entries(person.roles).filter(([id, role]) => role !== 'learner' || !isPublic(Number(id))),
  )
  return { ...person, id: 0, displayName: '', email: null, newUntil: null, roles }
}

/** Never sent to anybody, and another one in each process: no text of anyone's can hold it. */
const SECRET = randomBytes(16).toString('hex')

/** What stands in a page for many where each of them has something of their own. */
export const SLOTS = {
  name: `slot-name-${SECRET}`,
  path: `slot-path-${SECRET}`,
  token: `slot-token-${SECRET}`,
} as const

export type Slot = keyof typeof SLOTS

const PATTERN = new RegExp(`slot-(name|path|token)-${SECRET}`)

/** Text and slots in turn. */
export function splitAtSlots(html: string): { texts: Buffer[]; slots: Slot[] } {
  const parts = html.split(PATTERN)
  return {
    texts: parts.filter((_part, index) => index % 2 === 0).map((text) => Buffer.from(text)),
    slots: parts.filter((_part, index) => index % 2 === 1) as Slot[],
  }
}
