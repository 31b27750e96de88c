import type { Person } from './rights/person.ts'
import { accountOf } from './rights/rights.ts'

/** Whether it is somebody's first day: of who signed up themselves, but for admins. */
export function isNewAccount({ newUntil, isAdmin }: Pick<Person, 'newUntil' | 'isAdmin'>): boolean {
  return newUntil !== null && newUntil.getTime() > Date.now() && !isAdmin
}

/** Whether limits for newcomers hold: on the first day, but for staff. */
export function isNewcomer(person: Person): boolean {
  const { isAdmin, roles } = accountOf(person)
  return isNewAccount({ ...person, isAdmin }) && Object.values(roles).every((role) => role === 'learner')
}
