import { type RawBuilder, sql } from 'kysely'
import type { Database, Role } from '../../database/schema.ts'
import { isReadableByPerson, joinReader } from '../../kernel/rights/visibility.ts'

export interface Mentionable {
  readonly id: number
  readonly displayName: string
  /** In the course; null: no member. */
  readonly role: Role | null
}

export interface MentionSearch {
  /** What the name, a word of it, or the given name of a Korean one begins with; empty: anything. */
  readonly beginning: string
  readonly exceptId: number
  /** Whether members are found whom the searcher does not see in the thread or among the staff. */
  readonly findsMembers: boolean
}

const MOST = 8

/**
 * Whom a post of a question could mention: first who wrote there under their name, then staff, then other members. Who wrote there
 * without the name is found as a member, like all others, or not at all.
 */
export async function findMentionable(db: Database, questionId: number, search: MentionSearch) {
  const { rows } = await sql<Mentionable>`
    with q as materialized (select * from questions where id = ${questionId})
    select ${PERSON}
    from (
      select author_id as id from q where not is_anonymous
      union select author_id from answers where question_id = ${questionId} and not is_anonymous and is_shown
      union select author_id from replies where question_id = ${questionId} and not is_anonymous and is_shown
      union ${members(sql`(select course_id from q)`, search)}
    ) as found
    join people as person on person.id = found.id
    cross join q ${joinReader}
    where ${beginsSo(search)} and ${isMentionable}
    order by ${isSpeaker} desc, ${STAFF_FIRST}, person.display_name, person.id
    limit ${sql.lit(MOST)}`.execute(db)
  return rows
}

export async function findMembers(db: Database, courseId: number, search: MentionSearch) {
  const { rows } = await sql<Mentionable>`
    select ${PERSON}
    from (${members(sql`${courseId}::bigint`, search)}) as found (id)
    join people as person on person.id = found.id
    join course_members as member on member.course_id = ${courseId} and member.person_id = person.id
    where ${beginsSo(search)} and person.left_at is null
    order by ${STAFF_FIRST}, person.display_name, person.id limit ${sql.lit(MOST)}`.execute(db)
  return rows
}

/** Where a text is posted, with its id: below a question, or as a new one of a course. */
export interface MentionPlace {
  readonly kind: 'question' | 'course'
  readonly id: RawBuilder<unknown>
}

/**
 * Whom a text means that has one of these names: those whom its writer could choose from the list. Uses index people_called.
 * @param names folded as the same (text/words/fold.ts)
 */
export async function findCalled(
  db: Database,
  place: MentionPlace,
  writerId: number,
  names: readonly string[],
): Promise<Pick<Mentionable, 'id' | 'displayName'>[]> {
  const isBelow = place.kind === 'question'
  const courseId = isBelow ? sql`(select course_id from q)` : place.id
  const finds = sql`(exists (select from course_members where course_id = ${courseId} and person_id = ${writerId})
    or exists (select from people where id = ${writerId} and is_admin))`
  const among = isBelow
    ? sql`cross join q ${joinReader} where ${isMentionable} and (${isSpeaker} or member.role <> 'learner' or ${finds})`
    : sql`join course_members as member on member.course_id = ${courseId} and member.person_id = person.id
        where person.left_at is null and (member.role <> 'learner' or ${finds})`
  const { rows } = await sql<Pick<Mentionable, 'id' | 'displayName'>>`
    with q as materialized (select * from questions where id = ${isBelow ? place.id : sql`null`})
    select distinct person.id, person.display_name as "displayName"
    from (select distinct name_letters(name) as letters from unnest(${[...names]}::text[]) as called (name)) as called
    cross join lateral (
      -- One by one: a join of all would fold everybody's name.
      select id, display_name, left_at, is_admin, is_unclaimed from people
      where name_letters(display_name) = called.letters and id <> ${writerId} offset 0
    ) as person
    ${among}`.execute(db)
  return rows
}

const PERSON = sql`person.id, person.display_name as "displayName", member.role`

const STAFF_FIRST = sql`coalesce(member.role = 'learner', true)`

/** Members are found by their names alone, not listed: staff are both. */
function members(courseId: RawBuilder<unknown>, { beginning, findsMembers }: MentionSearch) {
  const isFound = findsMembers && beginning !== '' ? sql`true` : sql`role <> 'learner'`
  return sql`select person_id from course_members where course_id = ${courseId} and ${isFound}`
}

/** Korean surnames have one syllable, or are one of these. */
const LONG_SURNAMES = '^(남궁|독고|동방|사공|서문|선우|제갈|황보)'
const KOREAN_NAME = '^[가-힣]{2,6}$'

const begins = (name: RawBuilder<unknown>, letters: RawBuilder<unknown>) =>
  sql`name_letters(${name}) like '% ' || ${letters} || '%'`

/** Whether the given name of the person of alias `person`, whose name is a Korean one, begins with these letters. */
function givenNameBegins(letters: RawBuilder<unknown>): RawBuilder<boolean> {
  const name = sql`person.display_name collate "C"`
  return sql<boolean>`(${name} ~ ${KOREAN_NAME} and ${begins(sql`substr(person.display_name, 2)`, letters)}
    or ${name} ~ ${KOREAN_NAME} and ${name} ~ ${LONG_SURNAMES} and ${begins(sql`substr(person.display_name, 3)`, letters)})`
}

/** The letters that name_letters has of a beginning, and whether a name has them anywhere. Uses index people_name_letters. */
function lettersOf(beginning: string) {
  const letters = sql`ltrim(name_letters(${beginning}))`
  return { letters, isThere: sql`name_letters(person.display_name) like '%' || ${letters} || '%'` }
}

/** Whether somebody of alias `person` has a Korean given name that begins so; false of letters that are too few for the index. */
export function hasGivenName(beginning: string): RawBuilder<boolean> {
  const isLongEnough = beginning.normalize('NFKD').length >= 3
  if (!isLongEnough || !/^[가-힣]+$/u.test(beginning.normalize('NFC'))) return sql<boolean>`false`
  const { letters, isThere } = lettersOf(beginning)
  return sql<boolean>`(${isThere} and ${givenNameBegins(letters)})`
}

function beginsSo({ beginning, exceptId }: MentionSearch) {
  const { letters, isThere } = lettersOf(beginning)
  return sql`person.id <> ${exceptId} and ${isThere}
    and (${begins(sql`person.display_name`, letters)} or ${givenNameBegins(letters)})`
}

/** Whether the person of alias `person` wrote in the thread of question `q`, as `isAnonymous` says: under the name or without it. */
function wroteIn(isAnonymous: boolean): RawBuilder<boolean> {
  const isTheirs = (post: string) => {
    const alias = sql.ref(post)
    return sql`${alias}.author_id = person.id and ${alias}.is_shown and ${alias}.is_anonymous = ${sql.lit(isAnonymous)}`
  }
  return sql<boolean>`(${isTheirs('q')}
    or exists (select from answers as own where own.question_id = q.id and ${isTheirs('own')})
    or exists (select from replies as own where own.question_id = q.id and ${isTheirs('own')}))`
}

const isSpeaker: RawBuilder<boolean> = wroteIn(false)

/**
 * Whether a page may say who the person of alias `person` is where question `q` mentions them: they are in the course (`member`, of
 * joinReader) or wrote in the thread under their name. An anonymous post does not count: a mention that works because of it would
 * tell readers who wrote it.
 */
export const isOfThread: RawBuilder<boolean> = sql<boolean>`(member.person_id is not null or ${isSpeaker})`

/**
 * Whether a post of question `q` may mention the person of alias `person`, with the aliases of joinReader. Of a private question few
 * can be meant: who is there without the name is not mentioned by it.
 */
export const isMentionable: RawBuilder<boolean> = sql<boolean>`(
  person.left_at is null and not person.is_unclaimed and ${isReadableByPerson} and ${isOfThread}
  and not (q.audience = 'staff' and ${wroteIn(true)}))`
