import { sql } from 'kysely'
import { z } from 'zod'
import type { Write } from '../../database/schema.ts'
import { missed, owner, ownOf } from '../../database/table.ts'
import { personOf } from '../../kernel/actor.ts'
import { choice, flag, plain, titleLine, yes } from '../../kernel/fields.ts'
import { mark, markWith } from '../../kernel/mark.ts'
import { forum, operation } from '../../kernel/operation.ts'
import { ownPart } from '../../kernel/own-data.ts'
import { notFound } from '../../kernel/problem.ts'
import { isReadableByPerson, joinReader } from '../../kernel/rights/visibility.ts'
import { tagNameOf } from '../../text/tag-name.ts'
import { findLecture } from '../courses/choices.ts'
import { course, partOf } from '../courses/find-course.ts'
import { endDraft } from '../drafts/draft.ts'
import { TITLE } from '../posts/form.ts'
import { question } from '../posts/lock.ts'
import { placedAt, titleFor } from '../posts/tables.ts'
import { learnTitle } from '../search/learning/signals.ts'
import { findTag } from '../tags/queries.ts'

export const followTables = [
  ownOf('course_follows', 'course_id', 'courses', { column: missed(owner) }),
  ownOf('lecture_follows', 'lecture_id', 'lectures', { column: missed(owner) }),
  ownOf('tag_follows', 'tag_id', 'tags', { column: missed(owner) }),
  ownOf('question_follows', 'question_id', 'questions', { column: missed(owner) }),
]

/** 'mute': nothing in the question is told. 'none': what they follow else decides. */
export type Following = 'follow' | 'mute' | 'none'

const FOLLOWINGS = { '1': 'follow', '0': 'none', mute: 'mute' } as const satisfies Record<string, Following>
/** The typed title; null: none, or one that no question could have. */
const typedTitle = z.string().transform((value) => titleLine(TITLE).safeParse(value).data ?? null)

/** Follows a question (`value` = `1`), mutes it (`mute`), or neither (`0`). `instead`: it is followed in place of asking `title`. */
export const questionFollowing = markWith({
  name: 'follow-question',
  right: 'follow',
  find: question,
  address: '/questions/:id/following',
  input: { value: choice(['1', '0', 'mute']), title: typedTitle, instead: flag },
  set: { value: '1' },
  unset: { value: '0' },
  flash: {
    follow: 'follows.flash.follow',
    mute: 'follows.flash.mute',
    none: 'follows.flash.none',
    instead: 'follows.flash.instead',
  },
  async run({ write, actor, subject, input: { value, title, instead } }) {
    const personId = personOf(actor).id
    const isInstead = value === '1' && instead
    if (isInstead) await followInstead(write, subject.id, personId, title)
    else await setFollowing(write, subject.id, personId, FOLLOWINGS[value])
    return { subject, done: isInstead ? 'instead' : FOLLOWINGS[value] }
  },
})

/** Whether somebody follows the question `q`, or muted it; null: neither. */
export const followLevel = (personId: number | null) =>
  sql<'follow' | 'mute' | null>`(select level from question_follows
    where question_id = q.id and person_id = ${personId ?? 0})`

/**
 * Follows a question, mutes it, or neither. Twice is once.
 * @param isInsteadOfAsking somebody found their question answered while they were asking it: a duplicate saved
 */
export async function setFollowing(
  write: Write,
  questionId: number,
  personId: number,
  following: Following,
  isInsteadOfAsking = false,
): Promise<void> {
  if (following === 'none') {
    await write
      .deleteFrom('question_follows')
      .where('question_id', '=', questionId)
      .where('person_id', '=', personId)
      .execute()
    return
  }
  await write
    .insertInto('question_follows')
    .values({
      question_id: questionId,
      person_id: personId,
      level: following,
      instead_of_asking: isInsteadOfAsking,
    })
    .onConflict((conflict) =>
      conflict.columns(['question_id', 'person_id']).doUpdateSet({
        level: following,
        ...(following === 'mute' && { instead_of_asking: false }),
        ...(isInsteadOfAsking && { instead_of_asking: true }),
      }),
    )
    .execute()
}

/** Ends that people follow, or mute, a question that they may no longer read. */
export async function endFollowsOfStrangers(write: Write, questionId: number): Promise<void> {
  await sql`
    delete from question_follows where question_id = ${questionId} and person_id in (
      select person.id from question_follows as follow
      join people as person on person.id = follow.person_id
      join questions as q on q.id = follow.question_id ${joinReader}
      where follow.question_id = ${questionId} and not ${isReadableByPerson})`.execute(write)
}

/**
 * "This answers mine": follows the question instead of posting another, whose draft ends with it.
 * @param title what was typed as its title, by which others may find the question; null: it was not for everybody, or not sent
 */
export async function followInstead(
  write: Write,
  questionId: number,
  personId: number,
  title: string | null,
): Promise<void> {
  await setFollowing(write, questionId, personId, 'follow', true)
  if (title !== null) await learnTitle(write, questionId, personId, title)
  const { slug } = await write
    .selectFrom('questions as q')
    .innerJoin('courses as c', 'c.id', 'q.course_id')
    .select('c.slug')
    .where('q.id', '=', questionId)
    .executeTakeFirstOrThrow()
  await endDraft(write, personId, `/questions?course=${slug}`, null)
}

const flash = { set: 'follows.flash.place', unset: 'follows.flash.noPlace' }

export const courseFollowing = mark({
  name: 'follow-course',
  right: 'follow-course',
  find: course,
  address: '/courses/:course/following',
  flash,
  change: ({ write, subject: { id }, person }, isFollowed) =>
    setPlaceFollowing(write, { kind: 'course', id }, person.id, isFollowed),
})

export const lectureFollowing = mark({
  name: 'follow-lecture',
  right: 'follow-course',
  find: partOf<string>(course),
  address: '/courses/:course/lectures/:position/following',
  flash,
  async change({ write, subject: { id: courseId, part }, person }, isFollowed) {
    const lecture = await findLecture(write, courseId, part)
    if (lecture === null) throw notFound()
    await setPlaceFollowing(write, { kind: 'lecture', id: lecture.id }, person.id, isFollowed)
  },
})

export const tagFollowing = markWith({
  name: 'follow-tag',
  right: 'have-account',
  find: forum,
  address: '/tags/:tag/following',
  set: { value: true },
  unset: { value: false },
  flash,
  input: { tag: plain, value: yes },
  async run({ write, actor, input: { tag, value: isFollowed } }) {
    const person = personOf(actor)
    const name = tagNameOf(tag)
    const found = await findTag(write, person, name)
    if (found === null) throw notFound()
    await setPlaceFollowing(write, { kind: 'tag', id: found.id }, person.id, isFollowed)
    return { name, done: isFollowed ? 'set' : 'unset' } as const
  },
})

/** Ends all that somebody follows: `value` = `0`. */
export const followingEnd = operation({
  name: 'end-following',
  right: 'have-account',
  find: forum,
  limit: 'voting',
  input: { value: choice(['0']) },
  run: async ({ write, actor }) => endAllFollowing(write, personOf(actor).id),
})

export type Place = { readonly kind: 'course' | 'lecture' | 'tag'; readonly id: number }

/** Twice is once. */
export async function setPlaceFollowing(
  write: Write,
  { kind, id }: Place,
  personId: number,
  isFollowed: boolean,
): Promise<void> {
  if (kind === 'course') {
    // Kept also where it is not followed, as staff follow without a row.
    await sql`
      insert into course_follows (course_id, person_id, is_followed)
      values (${id}, ${personId}, ${isFollowed})
      on conflict (course_id, person_id) do update set is_followed = excluded.is_followed
      where course_follows.is_followed <> excluded.is_followed`.execute(write)
    return
  }
  const { table, column } = TABLES[kind]
  const change = isFollowed
    ? sql`insert into ${table} (${column}, person_id) values (${id}, ${personId}) on conflict do nothing`
    : sql`delete from ${table} where ${column} = ${id} and person_id = ${personId}`
  await change.execute(write)
}

/** What is muted stays mute. */
async function endAllFollowing(write: Write, personId: number): Promise<void> {
  for (const { table } of Object.values(TABLES))
    await sql`delete from ${table} where person_id = ${personId}`.execute(write)
  await sql`delete from question_follows where person_id = ${personId} and level = 'follow'`.execute(write)
  await sql`update course_follows set is_followed = false
    where person_id = ${personId} and is_followed`.execute(write)
  // Staff follow where no row says otherwise.
  await sql`
    insert into course_follows (course_id, person_id, is_followed)
    select course_id, person_id, false from course_members where person_id = ${personId} and role <> 'learner'
    on conflict do nothing`.execute(write)
}

const TABLES = {
  lecture: { table: sql.table('lecture_follows'), column: sql.ref('lecture_id') },
  tag: { table: sql.table('tag_follows'), column: sql.ref('tag_id') },
} as const

export const ownFollows = ownPart('follows', async (db, person, baseUrl) => {
  const follows = await db
    .selectFrom('question_follows as follow')
    .innerJoin('questions as question', 'question.id', 'follow.question_id')
    .leftJoin('asked_instead as asked', (join) =>
      join
        .onRef('asked.question_id', '=', 'follow.question_id')
        .onRef('asked.person_id', '=', 'follow.person_id'),
    )
    .select(['question.id as questionId', 'question.audience', titleFor(person), 'follow.level'])
    .select(['follow.followed_at as followedAt', 'asked.lexemes as askedWords'])
    .where('follow.person_id', '=', person.id)
    .orderBy('follow.followed_at')
    .execute()
  return follows.map(placedAt(baseUrl))
})

/** Courses (false: told to be silent), lectures and tags. */
export const ownPlacesFollowed = ownPart('placesFollowed', async (db, { id: personId }) => {
  const { rows } = await sql<{ kind: string; name: string; isFollowed: boolean; followedAt: Date }>`
    select 'course' as kind, course.slug as name, is_followed as "isFollowed", followed_at as "followedAt"
    from course_follows join courses as course on course.id = course_id where person_id = ${personId}
    union all select 'lecture', course.slug || ' ' || lecture.position, true, followed_at
    from lecture_follows join lectures as lecture on lecture.id = lecture_id
    join courses as course on course.id = lecture.course_id where person_id = ${personId}
    union all select 'tag', tag.name, true, followed_at
    from tag_follows join tags as tag on tag.id = tag_id where person_id = ${personId}
    order by 4`.execute(db)
  return rows
})
