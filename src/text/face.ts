import { remembered } from './words/remembered.ts'

const HANGUL_NAME = /^\p{Script=Hangul}{2,5}$/u

/** The content of an avatar: views/components/_avatar.eta. */
export interface Face {
  /** null: a mask is drawn instead. */
  readonly initials: string | null
  /** 0 to 11. */
  readonly hue: number
  /** Staff have a square one. */
  readonly role: 'instructor' | 'assistant' | null
}

/** The avatar of a person outside any course. */
export function faceOf(person: { readonly id: number; readonly displayName: string }): Face {
  return { initials: initialsOf(person.displayName), hue: hueOf(person.id), role: null }
}

/** The avatar of a provider that people sign in with: the first letter of its name, square. */
export function providerFace({ id, label }: { readonly id: number; readonly label: string }): Face {
  const initials = /[\p{L}\p{N}]/u.exec(label)?.[0].toUpperCase() ?? ''
  return { initials, hue: hueOf(id), role: 'instructor' }
}

/** Of somebody anonymous. */
export const HIDDEN_FACE: Face = { initials: null, hue: 0, role: null }

/** Number of hues of avatars: public/css/components/avatar.css. */
export const HUES_COUNT = 12

/**
 * The initials in an avatar: the first letters of the first and last word, the first two letters of a single word, the
 * given name of a Korean name (at most two syllables, as family names usually have one).
 */
export const initialsOf = remembered((name) => {
  const words = name.split(/\s+/u).filter((word) => /\p{L}|\p{N}/u.test(word))
  const [only] = words
  if (words.length === 1 && only !== undefined && HANGUL_NAME.test(only)) return only.slice(-2)
  const first = [...(words[0] ?? name)]
  const last = words.length > 1 ? [...(words.at(-1) ?? '')] : first.slice(1)
  return `${first[0] ?? ''}${last[0] ?? ''}`.toUpperCase()
})

/** The hue of a person's avatar, 0 to 11: derived from the id, so that it is the same on every page. */
export function hueOf(personId: number): number {
  return personId % HUES_COUNT
}
