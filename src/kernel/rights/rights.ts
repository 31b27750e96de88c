import type { Asking, Audience, Role } from '../../database/schema.ts'
import { type Act, type CourseAct, type ForumAct, type PostAct, RIGHTS, type Standing } from './table.ts'

export type { Act, CourseAct, ForumAct, PostAct } from './table.ts'

/** What decides a person's rights: who they are and which role they have in which course. */
export interface Actor {
  readonly id: number
  readonly isAdmin: boolean
  /** Role by course id; no entry: not a member. */
  readonly roles: Readonly<Record<number, Role>>
  /** Staff of a forum that requires a second factor of them, who have none yet: they read as ever, and else do what learners do. */
  readonly owesSecondFactor?: boolean
  /** The only courses where a token counts: elsewhere its owner is a visitor. */
  readonly onlyCourseIds?: readonly number[]
  /** No name behind an anonymous post is told, whatever the role. */
  readonly seesNoNames?: true
  /** The rights of the account, where a token leaves its owner fewer: accountOf. */
  readonly account?: Pick<Actor, 'isAdmin' | 'roles'>
}

/**
 * Somebody with all rights of their account, whatever a token leaves them. For what being staff forbids, and
 * for nothing that it allows: a narrower token must lift no prohibition.
 */
export function accountOf({ id, isAdmin, roles, account = { isAdmin, roles } }: Actor): Actor {
  return { id, ...account }
}

/** Somebody with the same rights under another id, and nothing else of them; null: a visitor. */
export function withRightsOf(actor: Actor | null, id: number): Actor | null {
  if (actor === null) return null
  const { isAdmin, roles, owesSecondFactor = false, onlyCourseIds, seesNoNames } = actor
  return {
    ...{ id, isAdmin, roles, owesSecondFactor },
    ...(onlyCourseIds !== undefined && { onlyCourseIds }),
    ...(seesNoNames && { seesNoNames }),
  }
}

export interface Place {
  readonly courseId: number
  readonly isPublic: boolean
  /** Everybody who may read it may write in it; only matters where it is public. */
  readonly isOpen: boolean
  /** It can be read, and nothing is written in it any more. */
  readonly isArchived: boolean
}

export interface RuledCourse {
  readonly id: number
  readonly isPublic: boolean
  readonly asking: Asking
  readonly isArchived: boolean
}

export function placeOf({ id, isPublic, asking, isArchived }: RuledCourse): Place {
  return { courseId: id, isPublic, isOpen: asking === 'everybody', isArchived }
}

/** A question, answer or reply, as far as rights go. `askerId` is who asked the question it belongs to. */
export interface Written extends Place {
  readonly authorId: number
  readonly askerId: number
  /** Of the question it belongs to. */
  readonly audience: Audience
  readonly isDeleted: boolean
  /** Its author deleted it, less than UNDO_HOURS ago. */
  readonly isUndoable: boolean
  /** Its question is deleted. */
  readonly isOrphan: boolean
  /** A reply whose answer is deleted: nothing can be done with it. */
  readonly isBuried: boolean
  /** Its text is gone for good: what may be done with what is deleted, its history and restoring it, ends with that. */
  readonly isPurged: boolean
  /** Authors of the hidden or held posts among this post and those above it. Besides staff only the author of all of them sees it. */
  readonly hiddenAuthors: readonly number[]
}

/** How long authors can undo that they deleted a post, in hours. */
export const UNDO_HOURS = 1

/**
 * What becomes of somebody's wish. 'sign-in': visitors are asked to, before anything is looked up. 'hidden': for them it is
 * not there, so that a private course stays unknown. 'gone': it was deleted. 'archived': they could, if the course still ran.
 */
export type Ruling = 'allowed' | 'sign-in' | 'hidden' | 'gone' | 'archived' | 'forbidden'

/** The one place that decides who may do what, by the table in kernel/rights/table.ts. `null` is a visitor. */
export function may(actor: Actor | null, act: ForumAct): boolean
export function may(actor: Actor | null, act: CourseAct, place: Place): boolean
export function may(actor: Actor | null, act: CourseAct | PostAct, post: Written): boolean
export function may(actor: Actor | null, act: Act, subject: Place | Written | null = null): boolean {
  return rulingOnAny(actor, act, subject) === 'allowed'
}

/** The same with why not. */
export function rulingOn(actor: Actor | null, act: ForumAct): Ruling
export function rulingOn(actor: Actor | null, act: CourseAct, place: Place): Ruling
export function rulingOn(actor: Actor | null, act: CourseAct | PostAct, post: Written): Ruling
export function rulingOn(actor: Actor | null, act: Act, subject: Place | Written | null = null): Ruling {
  return rulingOnAny(actor, act, subject)
}

/** The courses where somebody may do that, for queries over many: all, or public ones (if `isPublic`) and those named. */
export interface Reach {
  readonly isAll: boolean
  readonly isPublic: boolean
  readonly courseIds: readonly number[]
}

export function reachOf(actor: Actor | null, act: CourseAct | 'read-private' | 'read-hidden'): Reach {
  const { who } = RIGHTS[act]
  const person = trustedWith(actor, act)
  const general = who[generalStanding(person)]
  const roles = Object.entries(person?.roles ?? {}).filter(([, role]) => who[role] === 'always')
  return {
    isAll: general === 'always',
    isPublic: general === 'public' || general === 'open',
    courseIds: roles.map(([courseId]) => Number(courseId)),
  }
}

/** Whether somebody sees the names behind what was posted anonymously in a course. */
export function seesNames(viewer: Actor | null, courseId: number): boolean {
  const { isAll, courseIds } = reachOf(viewer, 'see-names')
  return isAll || courseIds.includes(courseId)
}

/** Whether somebody is staff of a course by their account, who post there under their name whichever door they come through. */
export function isNamedAsStaff(person: Actor, courseId: number): boolean {
  return seesNames(accountOf(person), courseId)
}

/**
 * Whether somebody may know that a person is here. A name is told where its bearer is: in the courses they
 * are in or wrote in. Who is in private courses alone is unknown elsewhere, and so is who is in none.
 * @param person `isMet`: they are, or wrote, in a course that the viewer may read
 */
export function mayMeet(
  viewer: Actor | null,
  person: { readonly id: number; readonly isMet: boolean },
): boolean {
  return person.isMet || viewer?.id === person.id || reachOf(viewer, 'read').isAll
}

/** The same where the act is a value: `subject` is what its row of the table is about. */
export function rulingOnAny(asking: Actor | null, act: Act, subject: Place | Written | null): Ruling {
  const { who } = RIGHTS[act]
  if (asking === null && who.visitor === 'never') return 'sign-in'
  const actor = isElsewhere(asking, subject) ? null : asking
  if (subject === null) return isGranted(actor, act, null) ? 'allowed' : 'forbidden'
  if (!isGranted(actor, 'read', subject) || isKeptFrom(actor, subject)) return 'hidden'
  if ('authorId' in subject && isGone(act, subject)) return 'gone'
  if (!isGranted(actor, act, subject) || isOwnPost(asking, act, subject) || isHiddenFor(act, subject))
    return 'forbidden'
  if ('authorId' in subject && subject.isPurged) return 'gone'
  return subject.isArchived && !RIGHTS[act].on.includes('archived') ? 'archived' : 'allowed'
}

/** What authors may not do to their own posts; they are the authors also where a token makes them visitors. */
function isOwnPost(asking: Actor | null, act: Act, subject: Place | Written): boolean {
  return RIGHTS[act].author === 'never' && 'authorId' in subject && subject.authorId === asking?.id
}

function isElsewhere(actor: Actor | null, subject: Place | Written | null): boolean {
  return actor !== null && subject !== null && !countsIn(actor, subject.courseId)
}

/** Whether what somebody came with counts in a course. */
export function countsIn({ onlyCourseIds }: Actor, courseId: number): boolean {
  return onlyCourseIds?.includes(courseId) ?? true
}

/**
 * A private question and everything under it is not there for others than its asker and the course's staff;
 * what is held back or hidden is not there for others than its author and the staff.
 */
function isKeptFrom(actor: Actor | null, subject: Place | Written): boolean {
  if (!('audience' in subject)) return false
  if (subject.audience === 'staff' && !isGranted(actor, 'read-private', subject)) return true
  return !subject.hiddenAuthors.every((authorId) => isGranted(actor, 'read-hidden', { ...subject, authorId }))
}

function isHiddenFor(act: Act, subject: Place | Written): boolean {
  return 'audience' in subject && subject.hiddenAuthors.length > 0 && !RIGHTS[act].on.includes('hidden')
}

function isGone(act: Act, { isDeleted, isOrphan, isBuried }: Written): boolean {
  const { on } = RIGHTS[act]
  return isBuried || (isDeleted && !on.includes('deleted')) || (isOrphan && !on.includes('orphaned'))
}

function isGranted(actor: Actor | null, act: Act, subject: Place | Written | null): boolean {
  const { who, author, asker } = RIGHTS[act]
  if (actor !== null && subject !== null && 'authorId' in subject) {
    const isAuthor = actor.id === subject.authorId
    if (isAuthor && author === 'may') return true
    if (isAuthor && author === 'may-undo' && (subject.isUndoable || !subject.isDeleted)) return true
    if (actor.id === subject.askerId && asker !== null) return asker === 'may'
  }
  const person = trustedWith(actor, act)
  const cell = who[subject === null ? generalStanding(person) : standingIn(person, subject)]
  if (cell === 'always' || subject === null || !subject.isPublic) return cell === 'always'
  return cell === 'public' || (cell === 'open' && subject.isOpen)
}

const READING: readonly Act[] = ['read', 'read-private', 'read-hidden', 'see-names']

/**
 * Somebody with the standing that counts: staff who owe a second factor are learners to all but reading, and those who are told no names
 * are to these.
 */
function trustedWith(actor: Actor | null, act: Act): Actor | null {
  if (actor === null) return null
  const isTrusted = actor.owesSecondFactor !== true || READING.includes(act)
  if (isTrusted && !(actor.seesNoNames && act === 'see-names')) return actor
  const roles = Object.fromEntries(Object.keys(actor.roles).map((course) => [course, 'learner'] as const))
  return { ...actor, isAdmin: false, roles }
}

function standingIn(actor: Actor | null, { courseId }: Place): Standing {
  const general = generalStanding(actor)
  return general === 'outsider' ? (actor?.roles[courseId] ?? general) : general
}

/** Wherever no role of a course says otherwise. */
function generalStanding(actor: Actor | null): Standing {
  if (actor === null) return 'visitor'
  return actor.isAdmin ? 'admin' : 'outsider'
}
