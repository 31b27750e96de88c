import { type RawBuilder, sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import { enqueue, isQueued } from '../../jobs/table.ts'
import { choice, flag, line, optional } from '../../kernel/fields.ts'
import { refusal } from '../../kernel/problem.ts'

/** The job that reads the questions in: src/operating/exchange/course-copies.ts. */
export const COPYING = 'copies'

export const BROUGHT = ['none', 'accepted', 'chosen'] as const

/** Several lectures, by their positions, and tags are one text, with blanks between them. */
const several = () => line({ min: 0, max: 50_000 })

/** Which questions a copy of a course brings along, and whose names. */
export const broughtFields = {
  questions: optional(choice(BROUGHT)),
  lecture: several(),
  tag: several(),
  names: flag,
}

interface Asked {
  readonly questions: (typeof BROUGHT)[number] | null
  readonly lecture: string
  readonly tag: string
  readonly names: boolean
}

export interface Choice {
  /** Of all lectures and tags. */
  readonly isAll: boolean
  readonly lectureIds: readonly number[]
  readonly tagIds: readonly number[]
}

/** Whether a question is one that all members read, with an answer that is accepted or endorsed. @param q its table's alias */
const isAnswered = (q: string) => sql<boolean>`(${sql.ref(`${q}.is_listed`)} and exists (
  select from answers as brought where brought.question_id = ${sql.ref(`${q}.id`)} and brought.is_shown
    and (brought.endorsed_at is not null or brought.id = ${sql.ref(`${q}.accepted_answer_id`)})))`

/** Whether a copy brings a question along. @param q its table's alias */
export function isChosen(q: string, { isAll, lectureIds, tagIds }: Choice): RawBuilder<boolean> {
  if (isAll) return isAnswered(q)
  return sql<boolean>`(${isAnswered(q)} and (${sql.ref(`${q}.lecture_id`)} = any(${lectureIds}::bigint[]) or exists (
    select from question_tags as chosen
    where chosen.question_id = ${sql.ref(`${q}.id`)} and chosen.tag_id = any(${tagIds}::bigint[]))))`
}

/**
 * Has a new course get questions of another, once it is there.
 * @throws Refused when some were to be chosen, and none of their lectures and tags are the course's
 */
export async function bringAlong(write: Write, from: number, to: number, asked: Asked): Promise<void> {
  if (asked.questions === null || asked.questions === 'none') return
  const isAll = asked.questions === 'accepted'
  const [lectureIds, tagIds] = isAll
    ? [[], []]
    : [await lecturesAt(write, from, asked), await tagsNamed(write, from, asked)]
  if (!isAll && lectureIds.length + tagIds.length === 0) throw refusal('lecture', 'courseCopy.chosen.none')
  await write
    .insertInto('course_copies')
    .values({
      ...{ course_id: to, from_course_id: from, is_all: isAll, has_names: asked.names },
      ...{ lecture_ids: lectureIds.map(String), tag_ids: tagIds.map(String) },
    })
    .execute()
  await enqueue(write, COPYING, to)
}

export const boxesOf = (typed = '') => typed.split(' ').filter((value) => value !== '')

async function lecturesAt(write: Write, courseId: number, { lecture }: Asked): Promise<number[]> {
  const positions = boxesOf(lecture).filter((value) => /^[1-9]\d{0,8}$/.test(value))
  const { rows } = await sql<{ id: number }>`
    select id from lectures where course_id = ${courseId} and position = any(${positions}::integer[]) order by id`.execute(
    write,
  )
  return rows.map(({ id }) => id)
}

async function tagsNamed(write: Write, courseId: number, { tag }: Asked): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select tag.id from course_tags as kept join tags as tag on tag.id = kept.tag_id
    where kept.course_id = ${courseId} and tag.name = any(${boxesOf(tag)}::text[]) order by tag.id`.execute(
    write,
  )
  return rows.map(({ id }) => id)
}

/** Tags to choose from, those with most questions first. */
const MOST_TAGS = 100

/** Of so many questions, the newest, the choice is made: more take long to count. */
const MOST_COUNTED = 10_000

/** How many questions there are to bring along, and of each lecture and tag that has any. */
export async function answeredQuestions(db: Database, courseId: number) {
  const { rows } = await sql<{
    all: number
    lectures: { position: number; title: string; count: number }[]
    tags: { name: string; count: number }[]
  }>`
    with answered as materialized (
      select q.id, q.lecture_id from (
        select * from questions where course_id = ${courseId} and is_listed order by written_at desc, id desc limit ${MOST_COUNTED}
      ) as q where ${isAnswered('q')})
    select (select count(*) from answered) as all,
      (select coalesce(jsonb_agg(lecture order by position), '[]') from (
        select position, title, count(*) as count from answered join lectures on lectures.id = lecture_id group by position, title
      ) as lecture) as lectures,
      (select coalesce(jsonb_agg(tag order by count desc, name), '[]') from (
        select tags.name, count(*) as count from answered join question_tags as used on used.question_id = answered.id
        join tags on tags.id = used.tag_id group by tags.name order by count desc, tags.name limit ${MOST_TAGS}
      ) as tag) as tags`.execute(db)
  return rows[0] ?? { all: 0, lectures: [], tags: [] }
}

export interface Bringing {
  /** 'failed': nothing will come of it any more. */
  readonly state: 'waiting' | 'failed'
  /** null: they aren't counted yet. */
  readonly all: number | null
  readonly done: number
}

/** How far the questions are that a course gets of another; undefined: it gets none, or they are all there. */
export async function bringingOf(db: Database, courseId: number): Promise<Bringing | undefined> {
  const { rows } = await sql<Bringing>`
    select case when copy.state = 'waiting' and ${isQueued(COPYING, sql`copy.course_id::text`)} then 'waiting' else 'failed' end as state,
      copy.to_copy as all, coalesce((
      select (run.counts #>> '{imported,questions}')::integer from import_runs as run
      where run.course_id = copy.course_id and run.state = 'reading' and run.copied_from is not null), 0) as done
    from course_copies as copy where copy.course_id = ${courseId} and copy.state <> 'copied'`.execute(db)
  return rows[0]
}
