import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import type { Kind } from '../../jobs/kind.ts'
import { enqueueAll } from '../../jobs/table.ts'
import { staffToTell } from './staff.ts'
import { onePerson, tell } from './tell.ts'

const PROMISE = 'promise'

/** The jobs that tell staff of what waits too long: one for all that is due. */
export function promiseKind(db: Database): Kind {
  return {
    name: PROMISE,
    concurrency: 1,
    batch: 1,
    timeout: 30_000,
    plan: () => enqueueAll(db, PROMISE, sql`select from due_questions`),
    run: async () => {
      while ((await tellOfPromises(db)) === BATCH) {
        // As many again.
      }
    },
  }
}

/** Questions told in one transaction: as many may be locked at once. */
const BATCH = 50

/**
 * Tells staff of questions that have waited for longer than their course promises, once for each turn: whoever has taken the
 * question, and the next of the course's staff, so that somebody knows when the first does nothing. Next is who was told the
 * longest ago, those who follow the course's questions before the others. Processes share the questions among them.
 * @returns how many questions
 */
export async function tellOfPromises(db: Database): Promise<number> {
  return db.transaction().execute(async (write) => {
    const { rows } = await sql<{ id: number; courseId: number; assigneeId: number | null }>`
      select desk.question_id as id, desk.course_id as "courseId", desk.assignee_id as "assigneeId"
      from due_questions as due join question_desk as desk on desk.question_id = due.question_id
      order by due.due_at, desk.question_id limit ${BATCH} for update of desk skip locked`.execute(write)
    for (const { id, courseId, assigneeId } of rows) {
      const next = sql`(
        select staff.person_id
        from ${staffToTell(sql`${courseId}`, sql`(select author_id from questions where id = ${id})`)} as staff
        left join question_follows as muted on muted.question_id = ${id} and muted.person_id = staff.person_id
        where staff.person_id is distinct from ${assigneeId}::bigint and muted.level is distinct from 'mute'
        order by staff.follows desc, (
          select max(earlier.happened_at) from notifications as earlier join questions as about on about.id = earlier.question_id
          where earlier.person_id = staff.person_id and earlier.reason = 'promise' and about.course_id = ${courseId}
        ) nulls first, staff.person_id
        limit 1)`
      const told = sql`${onePerson(next, 'promise')} union all ${onePerson(sql`${assigneeId}`, 'promise')}`
      await tell(write, { questionId: id, actorId: null, at: sql<Date>`clock_timestamp()` }, told)
      await sql`update question_desk set told_due_since = waiting_since where question_id = ${id}`.execute(
        write,
      )
    }
    return rows.length
  })
}
