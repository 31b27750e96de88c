import type { FastifyInstance } from 'fastify'
import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { together } from '../../database/together.ts'
import { addsRights } from '../../rights/pending-roles.ts'
import { isCourseReadableByPerson, isReadableByPerson, joinReader } from '../../rights/readable-question.ts'
import { type Suspension, suspensionsOfPerson } from '../../rights/suspension.ts'
import type { Scope } from '../../web/scoped-cache/scope.ts'
import { ScopedCache } from '../../web/scoped-cache/scoped-cache.ts'
import { reportedPosts, unseenOfCases, waitingCases } from '../cases/told.ts'
import { stillHolds } from '../telling/fresh.ts'
import { MAX_READS, NOTHING, type Own, partsOf, type Unconfirmed } from './own-texts.ts'

/** The own parts that one process remembers, of some thousand people, and how much of each. */
const MAX_BYTES = 8 * 2 ** 20
const ITEM_BYTES = 40
const MAX_UNSEEN = 200
/** People whose parts are read by one statement. */
const MAX_TOGETHER = 50

/** Gives pages the parts that are one person's own, read once until they change. */
export function registerOwnParts(app: FastifyInstance): void {
  const cache = new ScopedCache<Own>(app.changes, {
    maxSize: MAX_BYTES,
    sizeOf: ({ unseenCases: _, suspensions, unconfirmed: _address, ...parts }) =>
      ITEM_BYTES * Object.values(parts).reduce((sum, { size }) => sum + size, suspensions.length),
  })
  const rowOf = together((people: readonly number[]) => ownRows(app.db, people), MAX_TOGETHER)
  const load = async (personId: number) => loaded(personId, await rowOf(personId))
  app.decorate('ownParts', async (personId: number) => {
    try {
      return partsOf(await cache.find(String(personId), () => load(personId)), personId)
    } catch (error) {
      app.log.warn({ err: error, personId }, 'a page without its reader’s own parts')
      return partsOf(NOTHING, personId)
    }
  })
}

export interface OwnRow {
  readonly id: number
  readonly followed: string[]
  readonly unseen: number[]
  readonly news: number[]
  readonly unseenCases: number
  readonly cases: [number, number][]
  readonly reported: string[]
  readonly reads: [number, number][]
  readonly readUpTo: [number, number][]
  readonly mine: [number, number][]
  readonly following: [number, number][]
  readonly suspensions: Suspension[]
  readonly unconfirmed: Unconfirmed | null
}

/** Of all who ask at about the same time, in one round trip: after a restart hundreds come at once. */
export async function ownRows(db: Database, people: readonly number[]): Promise<ReadonlyMap<number, OwnRow>> {
  const { rows } = await sql<OwnRow>`
    select person.id, array(
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
    )} as following, ${suspensionsOfPerson} as suspensions,
    case when person.email_confirmed_at is null and person.email is not null then jsonb_build_object('email', person.email,
      'joinedAt', (extract(epoch from person.joined_at) * 1000)::bigint, 'courses', array(
      select waiting.course_id from pending_roles as waiting
      left join course_members as member on member.course_id = waiting.course_id and member.person_id = person.id
      where waiting.email = person.email and ${addsRights})) end as unconfirmed
    from people as person where person.id = any(array(select unnest(${people}::bigint[])))`.execute(db)
  return new Map(rows.map((row) => [row.id, row]))
}

/** What is told of a question goes with it: so the entry depends on each of them. */
function loaded(personId: number, row: Partial<OwnRow> = {}) {
  const {
    followed = [],
    unseen = [],
    news = [],
    unseenCases = 0,
    cases = [],
    reported = [],
    reads = [],
    readUpTo = [],
    mine = [],
    following = [],
    suspensions = [],
    unconfirmed = null,
  } = row
  const questions = unseen.map((id): Scope => `question:${id}`)
  const scopes: Scope[] = [`own:${personId}`, `person:${personId}`, ...questions]
  const value = {
    followed: new Set(followed),
    unseen: idsOf(unseen),
    unseenNews: idsOf(news),
    unseenCases,
    cases: mapOf(cases),
    reported: new Set(reported),
    reads: mapOf(reads),
    readUpTo: mapOf(readUpTo),
    mine: mapOf(mine),
    following: mapOf(following),
    suspensions: suspensions.length === 0 ? NOTHING.suspensions : suspensions,
    unconfirmed,
  }
  return { value, scopes }
}

const NO_IDS: ReadonlySet<number> = new Set()
const NO_PAIRS: ReadonlyMap<number, number> = new Map()

/** Most people have nothing in most of them: thousands of empty ones take megabytes. */
const idsOf = (ids: readonly number[]) => (ids.length === 0 ? NO_IDS : new Set(ids))
const mapOf = (pairs: readonly [number, number][]) => (pairs.length === 0 ? NO_PAIRS : new Map(pairs))

/** Pairs of a course and how many of these questions it has that the person may read. */
function countedByCourse(questions: RawBuilder<unknown>, isTheirs: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(select coalesce(jsonb_agg(jsonb_build_array(course_id, number)), '[]') from (
    select q.course_id, count(*) as number from ${questions} ${joinReader}
    where ${isTheirs} and ${isReadableByPerson} group by q.course_id) as counted)`
}
