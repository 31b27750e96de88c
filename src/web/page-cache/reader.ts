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
export function readerLike({ session, ...person }: Person, isPublic: (courseId: number) => boolean): Reader {
  const roles = Object.fromEntries(
    Object.entries(person.roles).filter(([id, role]) => role !== 'learner' || !isPublic(Number(id))),
  )
  return { ...person, id: 0, displayName: '', email: null, newUntil: null, theme: 'system', roles }
}
