import { sql } from 'kysely'
import { jsonArrayFrom } from 'kysely/helpers/postgres'
import { type PageRequest, pageAlong, pageOf } from '../../database/keyset.ts'
import { mergedInto } from '../../database/merged-accounts.ts'
import type { Database } from '../../database/schema.ts'
import { type Actor, mayMeet } from '../../kernel/rights/rights.ts'
import { visibleTo } from '../../kernel/rights/visibility.ts'
import { hasWritten } from '../authors/met.ts'

export const ANSWERS_PER_PAGE = 20

/** Roles shown on a profile; who is in more courses is still findable by what they write. */
const MAX_ROLES = 20

export type Profile = NonNullable<Awaited<ReturnType<typeof findProfile>>>
export type WrittenAnswer = Awaited<ReturnType<typeof listAnswers>>['rows'][number]

/**
 * A person as the viewer may know them, in one statement: roles and numbers of posts only of courses that the
 * viewer may read, so that nobody can tell from a profile what happens in a private course.
 * @returns undefined when there is nobody with this id, or none that the viewer may know of
 */
export async function findProfile(db: Database, viewer: Actor | null, id: number) {
  const person = await selectProfile(db, viewer, id)
  if (person === undefined) return undefined
  const isMet = person.roles.length > 0 || person.has_written
  return mayMeet(viewer, { id, isMet }) ? person : undefined
}

/** The account that another became by merging, for who could meet that one before; null: it was not merged, or they could not. */
export async function becameFor(db: Database, viewer: Actor | null, id: number): Promise<number | null> {
  const became = await mergedInto(db, id)
  if (became === null) return null
  const known = await db
    .selectFrom('account_merge_courses as known')
    .innerJoin('account_merges as merged', 'merged.id', 'known.merge_id')
    .innerJoin('courses as course', 'course.id', 'known.course_id')
    .select('course.id')
    .where('merged.from_id', '=', id)
    .where(visibleTo(viewer))
    .limit(1)
    .executeTakeFirst()
  return mayMeet(viewer, { id: became, isMet: known !== undefined }) ? became : null
}

/** One page of a person's answers that the viewer may read, newest first. Uses index answers_of_author. */
export async function listAnswers(
  db: Database,
  viewer: Actor | null,
  personId: number,
  request: PageRequest,
) {
  const page = pageAlong('a.written_at', 'a.id', 'time', request)
  const rows = await db
    .selectFrom('answers as a')
    .innerJoin('questions as q', 'q.id', 'a.question_id')
    .innerJoin('courses as course', 'course.id', 'q.course_id')
    .select(['a.id', 'a.body_html', 'a.votes_count', 'a.written_at', 'course.time_zone'])
    .select(['q.id as question_id', 'q.title', 'course.slug as course_slug', 'course.title as course_title'])
    .select(sql<boolean>`q.accepted_answer_id is not distinct from a.id`.as('is_accepted'))
    .where('a.author_id', '=', personId)
    .where('a.is_shown', '=', true)
    .where('a.is_anonymous', '=', false)
    .where('q.is_listed', '=', true)
    .where(visibleTo(viewer))
    .where(page.beyond)
    .orderBy(page.order)
    .limit(ANSWERS_PER_PAGE + 1)
    .execute()
  return pageOf(rows, ANSWERS_PER_PAGE, request, (answer) => answer.written_at)
}

/**
 * A profile's numbers are of posts under the person's name, in questions that are listed and in courses that the viewer may read: the
 * newest are counted, as each viewer may read something else, and what is older where somebody wrote very many is added by course.
 */
function selectProfile(db: Database, viewer: Actor | null, id: number) {
  return db
    .with('answered', () => answeredBy(viewer, id))
    .with('older', () => olderPosts(viewer, id))
    .selectFrom('people as person')
    .select(['person.id', 'person.display_name', 'person.joined_at', 'person.is_admin'])
    .select((select) => [
      jsonArrayFrom(
        select
          .selectFrom('course_members as member')
          .innerJoin('courses as course', 'course.id', 'member.course_id')
          .select(['course.id', 'course.slug', 'course.title', 'course.language', 'member.role'])
          .whereRef('member.person_id', '=', 'person.id')
          .where(visibleTo(viewer))
          .orderBy(sql`array_position(array['instructor', 'assistant', 'learner'], member.role)`)
          .orderBy('course.title')
          .orderBy('course.id')
          .limit(MAX_ROLES),
      ).as('roles'),
      questionNumbers(viewer).as('asked'),
      answerNumbers.as('answered'),
      ANSWERED_TAGS.as('tags'),
      BEST_ANSWER.as('best'),
      hasWritten(viewer).as('has_written'),
    ])
    .where('person.id', '=', id)
    .executeTakeFirst()
}

const TAGS_SHOWN = 5

/** Questions, and answers, that a profile reads. */
const NEWEST = sql.lit(400)

/** What the older posts of someone who wrote very many come to, as `older`; nothing of others. Uses index course_authors_person. */
function olderPosts(viewer: Actor | null, personId: number) {
  return sql<{ until: Date }>`(
    select coalesce(max(older_until), '-infinity') as until, coalesce(sum(older_questions), 0) as questions,
      coalesce(sum(older_question_votes), 0) as question_votes, coalesce(sum(older_answers), 0) as answers,
      coalesce(sum(older_answer_votes), 0) as answer_votes, coalesce(sum(older_accepted), 0) as accepted,
      coalesce(sum(older_endorsed), 0) as endorsed
    from course_authors as kept join courses as course on course.id = kept.course_id
    where kept.person_id = ${personId} and ${visibleTo(viewer)})`
}

/** Of the alias `person`, with `older`. Uses index questions_of_author. */
function questionNumbers(viewer: Actor | null) {
  return sql<{ count: number; votes: number }>`(
    select json_build_object('count', older.questions + count(q.id),
      'votes', older.question_votes + coalesce(sum(q.votes_count), 0))
    from older left join (
      select q.id, q.votes_count, q.written_at from (
        select * from questions where author_id = person.id and is_listed and not is_anonymous
        order by written_at desc, id desc limit ${NEWEST}
      ) as q join courses as course on course.id = q.course_id where ${visibleTo(viewer)}
    ) as q on q.written_at > older.until
    group by older.questions, older.question_votes)`
}

/** The newest answers of a person: what the others of this file read, as `answered`. Uses index answers_of_author. */
function answeredBy(viewer: Actor | null, personId: number) {
  return sql<{ id: number }>`(
    select a.id, a.question_id, a.votes_count, a.written_at, a.endorsed_by, a.endorsed_at is not null as is_endorsed, q.title,
      q.accepted_answer_id is not distinct from a.id as is_accepted
    from (
      select * from answers where author_id = ${personId} and is_shown and not is_anonymous
      order by written_at desc, id desc limit ${NEWEST}
    ) as a join questions as q on q.id = a.question_id join courses as course on course.id = q.course_id
    where q.is_listed and ${visibleTo(viewer)})`
}

const answerNumbers = sql<{ count: number; votes: number; accepted: number; endorsed: number }>`(
  select json_build_object('count', older.answers + count(answered.id),
    'votes', older.answer_votes + coalesce(sum(answered.votes_count), 0),
    'accepted', older.accepted + count(*) filter (where answered.is_accepted),
    'endorsed', older.endorsed + count(*) filter (where answered.is_endorsed))
  from older left join answered on answered.written_at > older.until
  group by older.answers, older.answer_votes, older.accepted, older.endorsed)`

/** The tags of most of the answers, most first. */
const ANSWERED_TAGS = sql<{ name: string; count: number }[]>`(
  select coalesce(json_agg(json_build_object('name', name, 'count', number) order by number desc, name), '[]') from (
    select tag.name, count(*) as number from answered
    join question_tags as used on used.question_id = answered.question_id join tags as tag on tag.id = used.tag_id
    group by tag.id order by number desc, tag.name limit ${sql.lit(TAGS_SHOWN)}) as most)`

/** The answer with the most votes; without votes, an endorsed or accepted one, the latest. null: none was found good. */
const BEST_ANSWER = sql<{
  id: number
  question_id: number
  title: string
  votesCount: number
  isAccepted: boolean
  endorsedBy: string | null
} | null>`(
  select json_build_object('id', best.id, 'question_id', best.question_id, 'title', best.title, 'votesCount', best.votes_count,
    'isAccepted', best.is_accepted, 'endorsedBy', endorser.display_name)
  from (
    select * from answered where votes_count > 0 or is_endorsed or is_accepted
    order by votes_count desc, is_endorsed desc, is_accepted desc, id desc limit 1
  ) as best left join people as endorser on endorser.id = best.endorsed_by)`

/** How many of the newest questions, and answers, are left for a profile to count itself, which reads twice as many. */
const LEFT = 200

/** How long it may take to count those of one person, who wrote them all. */
const TIMEOUT = sql.lit('5min')

/**
 * Counts the older posts of people who wrote very many, by course. Their profiles are stale where it changed.
 */
export async function countOlderPosts(db: Database): Promise<void> {
  const { rows } = await sql<{ id: number }>`
    select id from people where greatest(questions_count, answers_count) > ${LEFT}
    union select person_id from course_authors where older_until is not null`.execute(db)
  for (const { id } of rows) await countOlderOf(db, id)
}

function countOlderOf(db: Database, personId: number): Promise<void> {
  return db.transaction().execute(async (write) => {
    await sql`set local statement_timeout = ${TIMEOUT}`.execute(write)
    const { numAffectedRows } = await sql`
      with until as (select greatest(
        (select written_at from questions where author_id = ${personId} and is_listed and not is_anonymous
          order by written_at desc offset ${LEFT} limit 1),
        (select written_at from answers where author_id = ${personId} and is_shown and not is_anonymous
          order by written_at desc offset ${LEFT} limit 1)) as at),
      asked as (
        select course_id, count(*) as number, sum(votes_count) as votes from questions
        where author_id = ${personId} and is_listed and not is_anonymous and written_at <= (select at from until)
        group by course_id),
      answered as (
        select q.course_id, count(*) as number, sum(a.votes_count) as votes,
          count(*) filter (where q.accepted_answer_id = a.id) as accepted,
          count(*) filter (where a.endorsed_at is not null) as endorsed
        from answers as a join questions as q on q.id = a.question_id
        where a.author_id = ${personId} and a.is_shown and not a.is_anonymous and q.is_listed
          and a.written_at <= (select at from until)
        group by q.course_id),
      counted as (
        select mine.course_id, until.at, coalesce(asked.number, 0)::integer as questions,
          coalesce(asked.votes, 0)::integer as question_votes, coalesce(answered.number, 0)::integer as answers,
          coalesce(answered.votes, 0)::integer as answer_votes, coalesce(answered.accepted, 0)::integer as accepted,
          coalesce(answered.endorsed, 0)::integer as endorsed
        from until cross join course_authors as mine left join asked using (course_id) left join answered using (course_id)
        where mine.person_id = ${personId})
      update course_authors as kept
      set older_until = counted.at, older_questions = questions, older_question_votes = question_votes,
        older_answers = answers, older_answer_votes = answer_votes, older_accepted = accepted, older_endorsed = endorsed
      from counted where kept.person_id = ${personId} and kept.course_id = counted.course_id
        and (kept.older_until, older_questions, older_question_votes, older_answers, older_answer_votes, older_accepted, older_endorsed)
          is distinct from
            (counted.at, questions, question_votes, answers, answer_votes, accepted, endorsed)`.execute(write)
    if (numAffectedRows === 0n) return
    const scope = `profile:${personId}`
    await sql`select invalidate(json_build_object('scopes', array[${scope}::text]))`.execute(write)
  })
}
