import type { Message } from '../messages/catalogue.ts'
import { formatMoment } from '../text/dates.ts'
import { type Doer, OPERATOR, personOf } from './actor.ts'
import { Problem } from './problem.ts'
import { type Suspension, suspensionIn } from './rights/person.ts'
import { accountOf, type Place } from './rights/rights.ts'

/** Says why a person can't write: where, until when, and the reason that staff gave. */
export function suspensionText({ course, until, note, timeZone }: Suspension): Message {
  const end = until === null ? '' : formatMoment(new Date(until), timeZone)
  // Each language puts them in its own order.
  const [year = '', month = '', day = '', time = ''] = end.split(/[. ]/)
  return {
    key: 'errors.suspended.text',
    values: {
      place: course === null ? 'everywhere' : 'course',
      course: course ?? '',
      end: until === null ? 'never' : 'day',
      ...{ year, month, day, time },
      said: note === '' ? 'no' : 'yes',
      note,
    },
  }
}

export class Suspended extends Problem {
  readonly #suspension: Suspension

  constructor(suspension: Suspension) {
    super('suspended')
    this.#suspension = suspension
  }

  override get text(): Message {
    return suspensionText(this.#suspension)
  }
}

/**
 * Of what is made before anyone knows where it goes, such as a picture for a post.
 * @throws Suspended when the person may only read in each of their courses, or everywhere
 */
export function requireSomewhereUnsuspended(actor: Doer): void {
  const person = personOf(actor)
  const { suspensions = [] } = person
  const { roles } = accountOf(person)
  const isSuspendedIn = (courseId: number | null) => suspensionIn(suspensions, courseId) !== null
  const [longest] = suspensions
  if (longest === undefined) return
  if (isSuspendedIn(null) || Object.keys(roles).every((courseId) => isSuspendedIn(Number(courseId))))
    throw new Suspended(longest)
}

/** @throws Suspended when somebody may only read where they write */
export function requireUnsuspended(actor: Doer, place: Place | null): void {
  if (actor === null || actor === OPERATOR) return
  const suspension = suspensionIn(actor.suspensions ?? [], place === null ? null : place.courseId)
  if (suspension !== null) throw new Suspended(suspension)
}
