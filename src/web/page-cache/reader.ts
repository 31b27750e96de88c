import { randomBytes } from 'node:crypto'
import type { Person } from '../../rights/person.ts'

/** Whom a page for members is rendered for: somebody's rights, language and time zone, and nobody's name. */
export interface Reader extends Person {
  readonly id: 0
  readonly displayName: ''
  readonly email: null
  readonly newUntil: null
  readonly theme: 'system'
}

/**
 * A reader with the rights, language and time zone of a person. Pages are cached by all of its fields: whatever a person is
 * known by later can only divide them further.
 * @param isPublic whether everybody may read a course: to be a learner there gives no right
 */
export function readerLike(person: Person, isPublic: (courseId: number) => boolean): Reader {
  const roles = Object.fromEntries(
    Object.entries(person.roles).filter(([id, role]) => role !== 'learner' || !isPublic(Number(id))),
  )
  return { ...person, id: 0, displayName: '', email: null, newUntil: null, theme: 'system', roles }
}

/** Never sent, and different in each process: no text can contain it. */
const SECRET = randomBytes(16).toString('hex')

/** Stand in a shared page for what each person has of their own, until it is sent. */
export const PLACEHOLDERS = {
  name: `placeholder-name-${SECRET}`,
  path: `placeholder-path-${SECRET}`,
  initials: `placeholder-initials-${SECRET}`,
  hue: `placeholder-hue-${SECRET}`,
  token: `placeholder-token-${SECRET}`,
} as const

export type Placeholder = keyof typeof PLACEHOLDERS

/** Stands for a slot of a person's own parts: web/own-parts.ts. */
export const ownPlaceholder = (slot: string) => `placeholder-own:${slot}-${SECRET}`

const PATTERN = new RegExp(`placeholder-(name|path|initials|hue|token|own:[\\w.-]+?)-${SECRET}`)

/** Texts and names of placeholders in turn, beginning and ending with a text. */
export function splitAtPlaceholders(html: string): readonly string[] {
  return html.split(PATTERN)
}

/** @param values what stands for each placeholder, escaped @param own what stands in each slot of their own parts, escaped */
export function fillPlaceholders(
  parts: readonly string[],
  values: Record<Placeholder, string>,
  own: (slot: string) => string,
): string {
  const filled = (part: string) =>
    part.startsWith('own:') ? own(part.slice(4)) : values[part as Placeholder]
  return parts.map((part, index) => (index % 2 === 0 ? part : filled(part))).join('')
}
