import type { Role } from '../../database/schema.ts'
import { missed, owner, ownOf } from '../../database/table.ts'
import { type Actor, seesNames } from '../../kernel/rights/rights.ts'
import type { Translate } from '../../messages/catalogue.ts'
import { type Face, faceOf, HIDDEN_FACE } from '../../text/face.ts'
import { pathWith, personPath } from '../../web/paths.ts'
import { type SealedName, unsealed } from './sealed-name.ts'

/** Whoever leaves keeps their numbers: who wrote under two of them would be seen to be one. */
export const standIns = ownOf('stand_ins', 'question_id', 'questions', {
  column: { ...missed(owner), leaving: 'stays' },
  keepsBoth: true,
})

/** Who wrote a post, as a row of a query knows them. */
export interface AuthorRow {
  readonly author_id: number
  readonly author_name: SealedName
  /** In the post's course; null: no member. */
  readonly author_role: Role | null
  readonly is_anonymous: boolean
  /** Which stand-in name they have in this thread; null or left out: the name stands alone, as in lists. */
  readonly stand_in?: number | null
}

export interface Viewing {
  readonly t: Translate
  readonly viewer: Actor | null
}

/** Who wrote something, as one viewer sees them: views/components/_byline.eta and _avatar.eta. */
export interface Byline extends Face {
  readonly text: string
  /** Of the profile; null: the viewer may not know who it is. */
  readonly path: string | null
  /** Says what classmates see instead of the name, which is hidden from them; null: they see the same. */
  readonly standIn: string | null
}

/** The one function that turns the author of a post into a name, for a viewer. @param courseId of the post's course */
export function bylineOf({ t, viewer }: Viewing, author: AuthorRow, courseId: number): Byline {
  const { author_id: id, author_role: role, is_anonymous: isAnonymous, stand_in: number = null } = author
  const named = () => personByline({ id, displayName: unsealed(author.author_name), role })
  if (!isAnonymous) return named()
  const standIn = number === null ? t('authors.anonymous') : t('authors.anonymousNumber', { number })
  if (seesNames(viewer, courseId)) return { ...named(), standIn: t('authors.standIn', { name: standIn }) }
  return { ...HIDDEN_FACE, text: standIn, path: null, standIn: null }
}

/** What stands beside a name: what they are in the course, else that they were of the staff where a post was imported from. */
export type Badge = Byline['role'] | 'then'

export const badgeOf = (
  { role, path }: Byline,
  { was_staff: wasStaff }: { readonly was_staff: boolean },
): Badge => role ?? (wasStaff && path !== null ? 'then' : null)

/**
 * The same as bylineOf, without what a page needs to show it.
 * @returns `id` null: the viewer may not know who it is; `standIn` null: the post is under the name
 */
export function seenAuthor({ t, viewer }: Viewing, author: AuthorRow, courseId: number) {
  const { text: name, path, standIn } = bylineOf({ t, viewer }, author, courseId)
  const isHidden = path === null
  return {
    id: isHidden ? null : author.author_id,
    name,
    role: isHidden ? null : author.author_role,
    standIn: isHidden || standIn !== null ? (author.stand_in ?? null) : null,
  }
}

/**
 * Names whom a viewer takes for the author of a post: the person where they are named, their stand-in where they are not. Whatever
 * counts or groups people goes by this, never by `author_id`: the difference would tell whose an anonymous post is.
 * @returns equal for two posts of one question where the viewer can tell that one person wrote both
 */
export function seenAuthorOf(viewer: Actor | null, author: AuthorRow, courseId: number): string {
  const { author_id: id, is_anonymous: isAnonymous, stand_in: number = null } = author
  return !isAnonymous || seesNames(viewer, courseId) ? `person ${id}` : `stand-in ${number}`
}

/** Somebody who is named as themselves: a teacher of a course, the owner of a profile. Never the author of a post. */
export function personByline(person: {
  readonly id: number
  readonly displayName: string
  readonly role: Role | null
}): Byline {
  const { id, displayName, role } = person
  return {
    ...faceOf(person),
    text: displayName,
    path: personPath({ id, displayName }),
    role: role === 'instructor' || role === 'assistant' ? role : null,
    standIn: null,
  }
}

/** The same in a page of a course: the profile keeps the course's bar. */
export function inCourse<Shown extends Byline>(byline: Shown, course: string): Shown {
  return byline.path === null ? byline : { ...byline, path: pathWith(byline.path, { course }) }
}
