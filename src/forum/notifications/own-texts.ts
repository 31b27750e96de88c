import type { Translate } from '../../messages/catalogue.ts'
import { suspensionText } from '../../operations/suspended.ts'
import { type Suspension, suspensionIn } from '../../rights/suspension.ts'
import type { OwnParts } from '../../web/own-parts.ts'

/** How many reads of single questions are known of a person: the latest. */
export const MAX_READS = 1000

/** What a person has of their own, as the database keeps it. */
export interface Own {
  /** `course.3`, `lecture.7`, `tag.12`. */
  readonly followed: ReadonlySet<string>
  /** Questions that something unseen was told of. */
  readonly unseen: ReadonlySet<number>
  /** Announcements that were told and not seen. */
  readonly unseenNews: ReadonlySet<number>
  /** How much was told of cases and not seen. */
  readonly unseenCases: number
  /** How many open cases wait for them, by course. */
  readonly cases: ReadonlyMap<number, number>
  /** Posts that they reported and staff have not decided on, the latest of them: table, dot and number. */
  readonly reported: ReadonlySet<string>
  /** Until when questions were read, in milliseconds, the latest of them. */
  readonly reads: ReadonlyMap<number, number>
  /** Until when courses were read as a whole, in milliseconds: forum/telling/course-reads.ts. */
  readonly readUpTo: ReadonlyMap<number, number>
  /** How many questions they asked and follow, by course: what `mine=1` and `following=1` list. */
  readonly mine: ReadonlyMap<number, number>
  readonly following: ReadonlyMap<number, number>
  /** What they may only read, the one that lasts longest first. */
  readonly suspensions: readonly Suspension[]
  /** Their address; null: it is confirmed, or there is none. */
  readonly unconfirmed: Unconfirmed | null
}

/** An address that nobody has confirmed yet. */
export interface Unconfirmed {
  readonly email: string
  /** When its person joined, in milliseconds. */
  readonly joinedAt: number
  /** Courses in which a role waits for it. */
  readonly courses: readonly number[]
}

/** People are asked to confirm their address as they join, and again from then on. */
const ASKED_AGAIN_MS = 7 * 24 * 60 * 60 * 1000

/** Somebody who did nothing yet, or of whom nothing could be read. */
export const NOTHING: Own = {
  followed: new Set(),
  unseen: new Set(),
  unseenNews: new Set(),
  unseenCases: 0,
  cases: new Map(),
  reported: new Set(),
  reads: new Map(),
  readUpTo: new Map(),
  mine: new Map(),
  following: new Map(),
  suspensions: [],
  unconfirmed: null,
}

/**
 * The slots of pages that say something to each person:
 * - `follow-value.course.3`, `follow-word.course.3`: the button that follows a place
 * - `unread.12.T.3.7`, `unread-word.12.T.3.7`: question 12 of person 7 in course 3 in a list, last active at T
 * - `fresh.12.T.7.9-T`: a post of person 7 in question 12, written at T; person 9 asked the question at T
 * - `news.12`: announcement 12, where it was not seen
 * - `mine.3`, `mine.all`, `following.3`, `following.all`: how many questions of theirs a list of course 3 has, or of all courses
 * - `waiting-cases.3`: how many cases of course 3 wait for its staff
 * - `reported.answers.12`: beside the way to report answer 12, where they did
 * - `address.3`, `address.3.sent`, `address.all`: why they are asked to confirm their address in course 3, or in all; `sent`: there is a
 *   mail server, and `address.none.sent`: where no page is that they may read
 * - `suspended.3`: why they can't write in course 3
 * - `since.12.T-7.T-9`: the posts of question 12, each with its author
 */
export function partsOf(own: Own, personId: number): OwnParts {
  return {
    unseenCount: own.unseen.size + own.unseenNews.size + own.unseenCases,
    unseenQuestions: own.unseen,
    readCourses: own.readUpTo,
    text: (slot, t) => {
      const [name = '', ...rest] = slot.split('.')
      return TEXTS[name]?.(own, t, rest, personId) ?? ''
    },
  }
}

type Text = (own: Own, t: Translate, rest: readonly string[], personId: number) => string

const TEXTS: Readonly<Record<string, Text>> = {
  'follow-value': ({ followed }, _t, subject) => (followed.has(subject.join('.')) ? '0' : '1'),
  'follow-word': ({ followed }, t, subject) => {
    const isFollowed = followed.has(subject.join('.'))
    // Beside the button of a question the word alone would not tell which of the two it follows.
    if (subject[0] === 'course') return t(isFollowed ? 'follows.unfollowCourse' : 'follows.followCourse')
    return t(isFollowed ? 'follows.unfollow' : 'follows.follow')
  },
  'waiting-cases': ({ cases }, t, [course = '']) => countText(cases, course, t),
  reported: ({ reported }, t, post) => (reported.has(post.join('.')) ? t('reports.reported') : ''),
  mine: ({ mine }, t, [course = '']) => countText(mine, course, t),
  following: ({ following }, t, [course = '']) => countText(following, course, t),
  address: ({ unconfirmed }, t, [course = '', sent]) => {
    if (unconfirmed === null) return ''
    const { email, joinedAt, courses } = unconfirmed
    if (courses.includes(Number(course)))
      return t(sent === undefined ? 'accounts.request.roleKept' : 'accounts.request.role', { email })
    if (sent === undefined) return ''
    if (course === 'none') return t('accounts.request.invited', { email })
    return Date.now() - joinedAt < ASKED_AGAIN_MS ? '' : t('accounts.request.again', { email })
  },
  suspended: ({ suspensions }, t, [course = '']) => {
    const inForce = suspensions.filter(({ until }) => until === null || Date.parse(until) > Date.now())
    const suspension = suspensionIn(inForce, Number(course))
    if (suspension === null) return ''
    const { key, values } = suspensionText(suspension)
    return t(key, values)
  },
  unread: (own, _t, rest, personId) => (isUnread(own, rest, personId) ? ' unread' : ''),
  'unread-word': (own, t, rest, personId) =>
    isUnread(own, rest, personId) ? `${t('notifications.unread')} ` : '',
  news: ({ unseenNews }, t, [id = '']) => (unseenNews.has(Number(id)) ? t('notifications.fresh') : ''),
  fresh: (own, t, [question = '', at = '', author = '', asked = ''], personId) =>
    isFresh(own, question, at, author, personId) && !isFirstVisit(own, question, asked, personId)
      ? t('notifications.fresh')
      : '',
  since: (own, t, [question = '', ...posts], personId) => {
    const count = posts.filter((post) => {
      const [at = '', author = ''] = post.split('-')
      return isFresh(own, question, at, author, personId)
    }).length
    return count === 0 ? '' : t('notifications.since', { count })
  },
}

/** With the space that parts it from the word before it; nothing for none. */
function countText(counts: ReadonlyMap<number, number>, course: string, t: Translate): string {
  const count =
    course === 'all'
      ? [...counts.values()].reduce((sum, one) => sum + one, 0)
      : (counts.get(Number(course)) ?? 0)
  return count === 0 ? '' : ` ${t('questions.row.number', { count })}`
}

/**
 * Something was told of it, or came since it or its course was read. Where so much was read that the oldest of it is not known
 * here (MAX_READS), what was last active before then counts as read.
 */
function isUnread(
  { unseen, reads, readUpTo }: Own,
  [question = '', activeAt = '', course = '', author = '']: readonly string[],
  personId: number,
): boolean {
  if (unseen.has(Number(question))) return true
  const [readAt, courseReadAt] = [reads.get(Number(question)), readUpTo.get(Number(course))]
  if (readAt === undefined) {
    if (courseReadAt === undefined || Number(author) === personId) return false
    if (reads.size >= MAX_READS && Number(activeAt) <= Math.min(...reads.values())) return false
  }
  return Number(activeAt) > Math.max(readAt ?? 0, courseReadAt ?? 0)
}

/** Only of a question that was read before: on the first visit everything would be new. */
function isFresh({ reads }: Own, question: string, at: string, author: string, personId: number): boolean {
  const readAt = reads.get(Number(question))
  return readAt !== undefined && Number(at) > readAt && Number(author) !== personId
}

/** Whoever asked comes back to answers for the first time: all of them are new, so none is marked. */
function isFirstVisit({ reads }: Own, question: string, asked: string, personId: number): boolean {
  const [asker, askedAt] = asked.split('-')
  return Number(asker) === personId && (reads.get(Number(question)) ?? 0) <= Number(askedAt)
}
