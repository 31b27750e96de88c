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

/** Stands in a layout for the main part. */
export const MAIN = `placeholder-main-${SECRET}`

const PATTERN = new RegExp(`placeholder-(name|path|initials|hue|token|own:[\\w.-]+?)-${SECRET}`)

/** A page without what each person has of their own, and where that belongs. */
export interface Template {
  readonly bytes: Buffer
  /** In their order; `at` in bytes. */
  readonly slots: readonly { readonly at: number; readonly name: string }[]
}

/** Takes the placeholders out of a page. */
export function templateOf(html: string): Template {
  const texts: Buffer[] = []
  const slots: { at: number; name: string }[] = []
  let at = 0
  for (const [index, part] of html.split(PATTERN).entries()) {
    if (index % 2 === 1) slots.push({ at, name: part })
    else {
      const text = Buffer.from(part)
      texts.push(text)
      at += text.length
    }
  }
  return { bytes: Buffer.concat(texts), slots }
}

/** The page in pieces. @param values what stands for each placeholder, escaped @param own what stands in each slot of their own parts, escaped */
export function filledIn(
  { bytes, slots }: Template,
  values: Record<Placeholder, string>,
  own: (slot: string) => string,
): Buffer[] {
  const pieces: Buffer[] = []
  let from = 0
  for (const { at, name } of slots) {
    const value = name.startsWith('own:') ? own(name.slice(4)) : values[name as Placeholder]
    // Most people have nothing of their own in most slots.
    if (value === '') continue
    pieces.push(bytes.subarray(from, at), Buffer.from(value))
    from = at
  }
  return [...pieces, bytes.subarray(from)]
}
