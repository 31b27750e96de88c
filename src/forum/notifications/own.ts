import type { FastifyInstance } from 'fastify'
import { type RawBuilder, sql } from 'kysely'
import { addsRights } from '../../kernel/rights/pending-roles.ts'
import { type Suspension, suspensionIn, suspensionsOfPerson } from '../../kernel/rights/person.ts'
import { isCourseReadableByPerson, isReadableByPerson, joinReader } from '../../kernel/rights/visibility.ts'
import { suspensionText } from '../../kernel/suspended.ts'
import type { Translate } from '../../messages/catalogue.ts'
import type { OwnParts } from '../../web/own-parts.ts'
import type { Scope } from '../../web/scoped-cache/scope-clock.ts'
import { ScopedCache } from '../../web/scoped-cache/scoped-cache.ts'
import { reportedPosts, unseenOfCases, waitingCases } from '../cases/told.ts'
import { isStrangerIn } from '../posts/hold.ts'
import { stillHolds } from '../telling/fresh.ts'

/** The own parts that one process remembers, of some thousand people, and how much of each. */
const MAX_BYTES = 8 * 2 ** 20
const ITEM_BYTES = 40
const MAX_UNSEEN = 200

/** Gives pages the parts that are one person's own, read once until they change. */
export function registerOwnParts(app: FastifyInstance): void {
  const cache = new ScopedCache<Own>(app.changes, {
    maxSize: MAX_BYTES,
    sizeOf: ({ unseenCases: _, suspensions, unconfirmed: _address, ...parts }) =>
      ITEM_BYTES * Object.values(parts).reduce((sum, { size }) => sum + size, suspensions.length),
  })
  app.decorate('ownParts', async (personId: number) => {
    try {
      return partsOf(await cache.find(String(personId), () => load(app, personId)), personId)
    } catch (error) {
      app.log.warn({ err: error, personId }, 'a page without its reader’s own parts')
      return partsOf(NOTHING, personId)
    }
  })
}

type Pairs = readonly (readonly [number, number])[]

/** What a person has of their own, as the database keeps it. */
interface OwnRow {
  /** `course.3`, `lecture.7`, `tag.12`. */
  readonly followed: readonly string[]
  /** Questions, and announcements. */
  readonly unseen: readonly number[]
  readonly news: readonly number[]
  readonly unseenCases: number
  /** How many open cases wait for them, by course. */
  readonly cases: Pairs
  /** Posts that they reported and staff have not decided on, the latest of them: table, dot and number. */
  readonly reported: readonly string[]
  /** Until when questions were read, in milliseconds, the latest of them. */
  readonly reads: Pairs
  /** Until when courses were read as a whole, in milliseconds: forum/telling/opened-courses.ts. */
  readonly readUpTo: Pairs
  /** How many questions they asked and follow, by course: what `mine=1` and `following=1` list. */
  readonly mine: Pairs
  readonly following: Pairs
  /** Questions with a draft of an answer that an agent left, and its name. */
  readonly agentDrafts: readonly (readonly [number, string])[]
  /** What they may only read, the one that lasts longest first. */
  readonly suspensions: readonly Suspension[]
  /**
   * Their address; null: it is confirmed, or there is none. `joinedAt` in milliseconds; `courses`: in which a role waits for it.
   */
  readonly unconfirmed: {
    readonly email: string
    readonly joinedAt: number
    readonly courses: readonly number[]
    /** Courses where what they post waits until they confirm it. */
    readonly waitsIn: readonly number[]
  } | null
}

async function load({ db, config: { careful } }: FastifyInstance, personId: number) {
  const { rows } = await sql<OwnRow>`
    select array(
      select 'course.' || course_id from course_follows where person_id = person.id and is_followed
      union select 'course.' || course_id from course_members where person_id = person.id and role <> 'learner'
        and not exists (select from course_follows as said
          where said.course_id = course_members.course_id and said.person_id = person.id)
      union select 'lecture.' || lecture_id from lecture_follows where person_id = person.id
      union select 'tag.' || tag_id from tag_follows where person_id = person.id) as followed,
    (select coalesce(jsonb_agg(question_id), '[]') from (
      select notice.question_id from notifications as notice join questions as q on q.id = notice.question_id ${joinReader}
      where notice.person_id = person.id and notice.seen_at is null and ${isReadableByPerson} and ${stillHolds}
      order by notice.happened_at desc limit ${MAX_UNSEEN}) as told) as unseen,
    (select coalesce(jsonb_agg(announcement_id), '[]') from (
      select notice.announcement_id from notifications as notice
      join announcements as news on news.id = notice.announcement_id join courses as course on course.id = news.course_id
      left join course_members as member on member.course_id = course.id and member.person_id = person.id
      where notice.person_id = person.id and notice.seen_at is null and ${isCourseReadableByPerson}
      order by notice.happened_at desc limit ${MAX_UNSEEN}) as told) as news,
    (select coalesce(jsonb_agg(jsonb_build_array(question_id, (extract(epoch from read_at) * 1000)::bigint)), '[]') from (
      select question_id, read_at from question_reads where person_id = person.id
      order by read_at desc limit ${sql.lit(MAX_READS)}) as latest) as reads,
    (select coalesce(jsonb_agg(jsonb_build_array(course_id, (extract(epoch from read_up_to) * 1000)::bigint)), '[]')
      from course_reads where person_id = person.id) as "readUpTo",
    ${unseenOfCases} as "unseenCases", ${waitingCases} as cases, ${reportedPosts} as reported,
    ${countedByCourse(sql`questions as q`, sql`q.author_id = person.id`)} as mine,
    ${countedByCourse(
      sql`question_follows as follow join questions as q on q.id = follow.question_id`,
      sql`follow.person_id = person.id and follow.level = 'follow' and q.is_listed`,
    )} as following,
    (select coalesce(jsonb_agg(jsonb_build_array(substring(place from '[0-9]+')::bigint, fields->>'client')), '[]')
      from drafts where person_id = person.id and place like '%#agent') as "agentDrafts", ${suspensionsOfPerson} as suspensions,
    case when person.email_confirmed_at is null and person.email is not null then jsonb_build_object('email', person.email,
      'joinedAt', (extract(epoch from person.joined_at) * 1000)::bigint, 'courses', array(
      select waiting.course_id from pending_roles as waiting
      left join course_members as member on member.course_id = waiting.course_id and member.person_id = person.id
      where waiting.email = person.email and ${addsRights}),
      'waitsIn', array(select course.id from courses as course where ${careful?.sendsMail === true} and course.is_public
        and course.hold = 'signals' and course.archived_at is null and ${isStrangerIn(sql`course.id`)})) end as unconfirmed
    from people as person where person.id = ${personId}`.execute(db)
  const [row] = rows
  const questions = (row?.unseen ?? []).map((id): Scope => `question:${id}`)
  const scopes: Scope[] = [`own:${personId}`, `person:${personId}`, ...questions]
  const value = row === undefined ? NOTHING : ownOf(row)
  return { value, scopes }
}

function ownOf({ news, ...row }: OwnRow) {
  return {
    ...row,
    followed: new Set(row.followed),
    unseen: new Set(row.unseen),
    unseenNews: new Set(news),
    cases: new Map(row.cases),
    reported: new Set(row.reported),
    reads: new Map(row.reads),
    readUpTo: new Map(row.readUpTo),
    mine: new Map(row.mine),
    following: new Map(row.following),
    agentDrafts: new Map(row.agentDrafts),
  }
}

/** Pairs of a course and how many of these questions it has that the person may read. */
function countedByCourse(questions: RawBuilder<unknown>, isTheirs: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(select coalesce(jsonb_agg(jsonb_build_array(course_id, number)), '[]') from (
    select q.course_id, count(*) as number from ${questions} ${joinReader}
    where ${isTheirs} and ${isReadableByPerson} group by q.course_id) as counted)`
}

/** How many reads of single questions are known of a person: the latest. */
const MAX_READS = 1000

type Own = ReturnType<typeof ownOf>

/** People are asked to confirm their address as they join, and again from then on. */
const ASKED_AGAIN_MS = 7 * 24 * 60 * 60 * 1000

/** Somebody who did nothing yet, or of whom nothing could be read. */
const NOTHING = ownOf({
  ...{ followed: [], unseen: [], news: [], unseenCases: 0, cases: [], reported: [], reads: [] },
  ...{ readUpTo: [], mine: [], following: [], agentDrafts: [], suspensions: [], unconfirmed: null },
})

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
 * - `posting.3`: that what they post in course 3 waits until they confirm their address
 * - `agent-draft.12`: who left a draft of an answer to question 12
 * - `suspended.3`: why they can't write in course 3
 * - `since.12.T-7.T-9`: the posts of question 12, each with its author
 */
function partsOf(own: Own, personId: number): OwnParts {
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
  posting: ({ unconfirmed }, t, [course = '']) =>
    unconfirmed?.waitsIn.includes(Number(course)) === true
      ? t('accounts.request.post', { email: unconfirmed.email })
      : '',
  'agent-draft': ({ agentDrafts }, t, [question = '']) => {
    const client = agentDrafts.get(Number(question))
    return client === undefined ? '' : t('drafts.agent.by', { client })
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
