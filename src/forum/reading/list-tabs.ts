import type { Translate } from '../../messages/catalogue.ts'
import type { OwnText } from '../../web/own-parts.ts'
import type { StatusFilter } from './list-filter.ts'

/** Lists of one person: what they have not read, what they asked, and what they follow. The parameter of the address has the same name. */
export const PERSONAL_LISTS = ['unread', 'mine', 'following'] as const
export type PersonalList = (typeof PERSONAL_LISTS)[number]

interface TabOptions {
  readonly status: StatusFilter | null
  readonly shown: PersonalList | null
  readonly isSignedIn: boolean
  /** The course of the list; null: all courses. */
  readonly courseId: number | null
  /** Says the reader's own numbers; null: none stand on this page. */
  readonly own: OwnText | null
  readonly linkTo: (change: Record<string, string | number | null>) => string
}

const STATES = ['unanswered', 'unresolved', 'resolved'] as const

/** All, what is unread, one's own, each status, and what one follows; each keeps the sort. How much is unread is not counted: each post in a course would change the number of everybody in it. */
export function listTabs(t: Translate, { status, shown, isSignedIn, courseId, own, linkTo }: TabOptions) {
  const tab = (
    name: 'all' | PersonalList | StatusFilter,
    chosen: Record<string, string | number>,
    isCurrent: boolean,
    ownCount: string | null = null,
  ) => ({
    name,
    text: t(`questions.tab.${name}`),
    path: linkTo({ status: null, unread: null, mine: null, following: null, ...chosen }),
    isCurrent,
    // How many there are for the reader alone, as it stands on the page, '' for none; null: not known.
    ownCount,
  })
  const personal = (name: PersonalList) =>
    tab(name, { [name]: 1 }, shown === name, own?.(`${name}.${courseId ?? 'all'}`) ?? null)
  const all = tab('all', {}, status === null && shown === null)
  const states = STATES.map((name) => tab(name, { status: name }, status === name && shown === null))
  if (!isSignedIn) return [all, ...states]
  const unread = tab('unread', { unread: 1 }, shown === 'unread')
  return [all, unread, personal('mine'), ...states, personal('following')]
}
