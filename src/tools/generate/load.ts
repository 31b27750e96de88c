import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { sql } from 'kysely'
import { from } from 'pg-copy-streams'
import { beginBulk, dropIndexes, endBulk, restoreIndexes } from '../../database/bulk.ts'
import { recount } from '../../database/recount.ts'
import type { Write } from '../../database/schema.ts'
import { inOneTransaction, type SingleConnection } from '../../database/single-connection.ts'
import { COPIED, type CopiedTable } from './chunk.ts'
import { foundCourses, foundTags } from './foundations.ts'
import { PEOPLE_COLUMNS, peopleText } from './people.ts'
import { answersBefore, type Plan, peopleFor, repliesBefore } from './plan.ts'
import { makeChunks } from './workers.ts'
import '../../tables.ts'

export interface Load {
  readonly questions: number
  readonly seed: number
  /** The course that gets all questions; null: several generated courses. */
  readonly course: string | null
}

/** Called with each advance. */
export interface LoadProgress {
  begin(step: 'questions' | 'indexes', total: number): void
  advance(amount: number): void
}

const TABLES = Object.keys(COPIED) as CopiedTable[]

/**
 * Adds generated content to the database in one transaction. It blocks other writers and, where indexes are rebuilt,
 * readers. The same seed on an empty database gives the same forum.
 */
export async function loadForum(url: string, load: Load, progress: LoadProgress): Promise<void> {
  await inOneTransaction(url, async (connection) => {
    const { write } = connection
    await beginBulk(write)
    const isMostlyNew = await isMoreThanThere(write, load.questions)
    await sql`lock table people, ${sql.join(TABLES.map((table) => sql.table(table)))} in exclusive mode`.execute(
      write,
    )
    const plan = await makePlan(connection, load)
    // Foreign keys too, because a question refers to its accepted answer, which comes later. For small loads their
    // checks are fast enough.
    const dropped = await dropIndexes(write, TABLES, isMostlyNew)
    await sql`alter table question_tags disable trigger user`.execute(write)
    await copyChunks(connection, plan, progress)
    await sql`alter table question_tags enable trigger user`.execute(write)
    progress.begin('indexes', dropped.length)
    await restoreIndexes(write, dropped, () => progress.advance(1))
    await finish(write, plan)
    await endBulk(write)
  })
}

/** Rebuilding an index pays off when more rows are added than there were. */
async function isMoreThanThere(write: Write, questions: number): Promise<boolean> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (select from questions limit ${questions}) as some_of_them`.execute(write)
  return (rows[0]?.count ?? 0) < questions
}

async function makePlan({ write, client }: SingleConnection, load: Load): Promise<Plan> {
  const { questions, seed, course: slug } = load
  const people = peopleFor(questions)
  const first = {
    question: await takeIds(write, 'questions', questions),
    answer: await takeIds(write, 'answers', answersBefore(questions)),
    reply: await takeIds(write, 'replies', repliesBefore(questions)),
    person: await takeIds(write, 'people', people),
  }
  await copy(client, `people (${PEOPLE_COLUMNS})`, peopleText(first.person, people, seed))
  const courses = await foundCourses(write, { slug, questions, firstPerson: first.person })
  return { seed, questions, first, people, courses, tags: await foundTags(write, questions) }
}

/**
 * Reserves a number of consecutive ids. The table is locked against other writers.
 * @returns the first one
 */
async function takeIds(write: Write, table: string, count: number): Promise<number> {
  const { rows } = await sql<{ first: number }>`
    select setval(sequence, nextval(sequence) + ${count} - 1) - ${count} + 1 as first
    from pg_get_serial_sequence(${table}, 'id') as sequence`.execute(write)
  return rows[0]?.first ?? 1
}

async function copyChunks({ client }: SingleConnection, plan: Plan, progress: LoadProgress): Promise<void> {
  progress.begin('questions', plan.questions)
  for await (const { chunk, questions } of makeChunks(plan)) {
    for (const table of TABLES) await copy(client, `${table} (${COPIED[table]})`, chunk[table])
    progress.advance(questions)
  }
}

async function copy(client: SingleConnection['client'], target: string, text: string): Promise<void> {
  await pipeline(Readable.from([text]), client.query(from(`copy ${target} from stdin`)))
}

/** Enrols every author in the course, then sets all counters. */
async function finish(write: Write, { first, courses }: Plan): Promise<void> {
  await sql`analyze people, courses, ${sql.join(TABLES.map((table) => sql.table(table)))}`.execute(write)
  await sql`
    insert into course_members (course_id, person_id, role)
    select course_id, author_id, 'learner' from questions where id >= ${first.question}
    union select q.course_id, a.author_id, 'learner' from answers as a join questions as q on q.id = a.question_id
    where a.id >= ${first.answer} and q.course_id = any(${courses.map((course) => course.id)})
    union select q.course_id, r.author_id, 'learner' from replies as r join questions as q on q.id = r.question_id
    where r.id >= ${first.reply}
    on conflict do nothing`.execute(write)
  await recount(write, { fix: true })
  await sql`analyze people, courses, lectures, course_tags, course_authors, course_members`.execute(write)
}
