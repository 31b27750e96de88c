import { type RawBuilder, sql } from 'kysely'
import type { Person } from '../../rights/person.ts'
import { seesNames } from '../../rights/rights.ts'
import { type FormState, refuse } from '../../web/form.ts'
import type { Post } from './find.ts'

/** How long a name can be hidden after posting: nobody has been told of the post before. */
export const HIDING_MINUTES = 5

/** What decides whether classmates see the name of a post's author. */
export interface NameState {
  readonly isAnonymous: boolean
  /** The course has anonymous posts, and this one is not older than HIDING_MINUTES. */
  readonly isHideable: boolean
}

/** In the form that edits a post: views/questions/_name.eta. */
export interface Naming {
  readonly isAnonymous: boolean
  readonly minutes: number
}

/** Whether a name can be hidden now, on the alias of a post's table and `course`. */
export function isHideable(post: string): RawBuilder<boolean> {
  const writtenAt = sql.ref(`${post}.written_at`)
  return sql<boolean>`(course.allows_anonymous and ${writtenAt} > now() - ${HIDING_MINUTES} * interval '1 minute')`
}

/** What the author chooses; null: there is nothing to choose, or somebody else edits. */
export function namingOf(person: Person, post: Post, state: NameState, { typed }: FormState): Naming | null {
  if (person.id !== post.authorId || (!state.isAnonymous && !mayHideNow(person, post, state))) return null
  const isAnonymous =
    typed.anonymous === undefined || typed.anonymous === '' ? state.isAnonymous : typed.anonymous === '1'
  return { isAnonymous, minutes: HIDING_MINUTES }
}

/**
 * What an edit makes of the name: whoever edits another's post, or leaves the field out, leaves it as it is.
 * @param wished null: nothing was said
 */
export function namedAs(
  person: Person,
  post: Post,
  state: NameState,
  form: FormState,
  wished: boolean | null,
): { readonly ok: true; readonly isAnonymous: boolean } | { readonly ok: false; readonly form: FormState } {
  const isAnonymous = person.id === post.authorId ? (wished ?? state.isAnonymous) : state.isAnonymous
  if (!isAnonymous || state.isAnonymous || mayHideNow(person, post, state)) return { ok: true, isAnonymous }
  return { ok: false, form: refuse(form, 'anonymous', 'anonymous.late', { minutes: HIDING_MINUTES }) }
}

function mayHideNow(person: Person, post: Post, { isHideable }: NameState): boolean {
  return isHideable && !seesNames(person, post.courseId)
}
