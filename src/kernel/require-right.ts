import { forbidden, gone, NeedsSignIn, notFound, Problem } from './problem.ts'
import {
  type Act,
  type Actor,
  type CourseAct,
  type Place,
  type PostAct,
  type Ruling,
  rulingOnAny,
  type Written,
} from './rights/rights.ts'

/** @throws Problem 403, 404 or 410, or NeedsSignIn, unless somebody may do that */
export function requireRight(actor: Actor | null, act: CourseAct, place: Place): void
export function requireRight(actor: Actor | null, act: CourseAct | PostAct, post: Written): void
/** The right to act on any subject; null: on the forum. */
export function requireRight(actor: Actor | null, act: Act, subject: Place | Written | null): void
export function requireRight(actor: Actor | null, act: Act, subject: Place | Written | null): void {
  const ruling = rulingOnAny(actor, act, subject)
  if (ruling !== 'allowed') throw REFUSALS[ruling]()
}

/** What somebody may not read is not there for them: 404, not 403. */
const REFUSALS: Readonly<Record<Exclude<Ruling, 'allowed'>, () => Error>> = {
  'sign-in': () => new NeedsSignIn(),
  hidden: notFound,
  gone,
  archived: () => new Problem('archived'),
  forbidden,
}
