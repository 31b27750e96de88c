import { sql } from 'kysely'
import { jsonArrayFrom } from 'kysely/helpers/postgres'
import { type PageRequest, pageAlong, pageOf } from '../../database/keyset.ts'
import { mergedInto } from '../../database/merged-accounts.ts'
import type { Database } from '../../database/schema.ts'
import { type Actor, mayMeet } from '../../rights/rights.ts'
import { visibleTo } from '../../rights/visibility.ts'
import { hasWritten } from '../authors/met.ts'
import {
  ANSWERED_TAGS,
  answeredBy,
  answerNumbers,
  BEST_ANSWER,
  olderPosts,
  questionNumbers,
} from './numbers.ts'

export const ANSWERS_PER_PAGE = 20

/** Roles shown on a profile; who is in more courses is still findable by what they write. */
const MAX_ROLES = 20

export type Profile = NonNullable<Awaited<ReturnType<typeof findProfile>>>
export type WrittenAnswer = Awaited<ReturnType<typeof selectAnswers>>[number]

/**
 * A person as the viewer may know them, in one statement: roles and numbers of posts only of courses that the viewer may read, so
 * that nobody can tell from a profile what happens in a private course.
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
  return pageOf(await selectAnswers(db, viewer, personId, request), ANSWERS_PER_PAGE, request)
}

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

function selectAnswers(db: Database, viewer: Actor | null, personId: number, request: PageRequest) {
  const page = pageAlong('a.written_at', 'a.id', 'time', request)
  return db
    .selectFrom('answers as a')
    .innerJoin('questions as q', 'q.id', 'a.question_id')
    .innerJoin('courses as course', 'course.id', 'q.course_id')
    .select(['a.id', 'a.body_html', 'a.votes_count', 'a.written_at'])
    .select(['q.id as question_id', 'q.title', 'course.slug as course_slug', 'course.title as course_title'])
    .select([
      'course.time_zone',
      sql<boolean>`q.accepted_answer_id is not distinct from a.id`.as('is_accepted'),
    ])
    .where('a.author_id', '=', personId)
    .where('a.is_shown', '=', true)
    .where('a.is_anonymous', '=', false)
    .where('q.is_listed', '=', true)
    .where(visibleTo(viewer))
    .where(page.beyond)
    .orderBy(page.order)
    .limit(ANSWERS_PER_PAGE + 1)
    .execute()
}
