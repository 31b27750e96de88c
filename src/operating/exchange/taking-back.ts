import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { endBulk } from '../../database/bulk.ts'
import type { Database, Write } from '../../database/schema.ts'
import { lockedCourse, partOf } from '../../forum/courses/find-course.ts'
import { idsOf, type Kind } from '../../jobs/kind.ts'
import { enqueue } from '../../jobs/table.ts'
import { optionalFlag } from '../../kernel/fields.ts'
import { operation } from '../../kernel/operation.ts'
import { notFound, refusal } from '../../kernel/problem.ts'
import { lockImports } from './import-run.ts'
import { type Taking, takeFromThreads, takeThreads } from './posts-taken-back.ts'
import { takePeople, takeThings } from './rest-taken-back.ts'

/** For how many days a run can be taken back after it was shown. */
export const TAKEN_BACK_DAYS = 7

/** Whether those days are over for a run that was shown. @param run the alias of its table */
export const isOver = (run: string) =>
  sql<boolean>`coalesce(${sql.ref(`${run}.ended_at`)} < now() - ${TAKEN_BACK_DAYS} * interval '1 day', false)`

const JOB = 'take-back'

/**
 * Takes back what an import brought, in steps of a job. What people here have added to stays, with what they added
 * (what-stays.ts), unless `with_answers`. An import into the course waits until it is done.
 */
export const importTakingBack = operation({
  name: 'take-back-import',
  right: 'manage',
  find: partOf<number>(lockedCourse),
  input: { with_answers: optionalFlag },
  events: ['import-taken-back'],
  async run({ write, subject: { id: courseId, slug, part: runId }, input, note }) {
    await lockImports(write, slug)
    const { rows } = await sql<{ id: number; state: string; isOver: boolean }>`
      select id, state, ${isOver('import_runs')} as "isOver" from import_runs
      where course_id = ${courseId} and (id = ${runId} or state = 'reading') for update`.execute(write)
    const run = rows.find(({ id }) => id === runId)
    if (run === undefined) throw notFound()
    if (rows.some(({ state }) => state === 'reading'))
      throw refusal('with_answers', 'imports.takeBack.reading')
    if (run.state !== 'shown') throw refusal('with_answers', 'imports.takeBack.again')
    if (run.isOver) throw refusal('with_answers', 'imports.takeBack.late', { days: TAKEN_BACK_DAYS })
    const withAnswers = input.with_answers === true
    await sql`update import_runs set state = 'taking-back', takes_answers = ${withAnswers} where id = ${runId}`.execute(
      write,
    )
    await enqueue(write, JOB, runId, 1)
    note('import-taken-back', { courseId, runId, withAnswers })
    return { slug, runId }
  },
})

export function registerTakingBack(app: FastifyInstance): void {
  if (app.changes !== null) app.jobs.start(takingBack(app.db))
}

/** Takes runs back, a step each time. */
export function takingBack(db: Database): Kind {
  return {
    name: JOB,
    concurrency: 1,
    batch: 1,
    timeout: 60_000,
    async run(jobs) {
      for (const id of idsOf(jobs)) if (await takeBackSome(db, id)) await enqueue(db, JOB, id, 1)
    },
  }
}

/**
 * A step of taking a run back, which anybody may go on with at any time.
 * @param onThreads told how many of its questions were looked at
 * @returns whether there is more to do
 */
export function takeBackSome(
  db: Database,
  runId: number,
  onThreads: (count: number) => void = () => {},
): Promise<boolean> {
  return db.transaction().execute(async (write) => {
    const { rows } = await sql<Taking>`
      select id, course_id as "courseId", takes_answers as "takesAnswers" from import_runs
      where id = ${runId} and state = 'taking-back' for update`.execute(write)
    const [taking] = rows
    if (taking === undefined) return false
    const threads = await takeThreads(write, taking)
    onThreads(threads)
    if (threads > 0) return true
    for (const table of ['answers', 'replies'] as const)
      if ((await takeFromThreads(write, taking, table)) > 0) return true
    if (await takeThings(write, taking)) return true
    if ((await takePeople(write, taking)) > 0) return true
    await sql`update import_runs set state = 'taken-back' where id = ${runId}`.execute(write)
    await endBulk(write)
    return false
  })
}

/** Ends what is being taken back in a course: a new import would find half of it. */
export async function finishTakingBack(db: Database, slug: string): Promise<void> {
  for (const { id } of await takenBackIn(db, slug)) while (await takeBackSome(db, id));
}

async function takenBackIn(db: Database | Write, slug: string): Promise<{ id: number }[]> {
  const { rows } = await sql<{ id: number }>`
    select run.id from import_runs as run join courses as course on course.id = run.course_id
    where course.slug = ${slug} and run.state = 'taking-back'`.execute(db)
  return rows
}
