import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import { actor, table } from '../../database/table.ts'
import { lockQuestion } from '../posts/lock.ts'

export const pins = table('pins', { pinned_by: actor }, { key: ['question_id'] })

/** More would push the questions themselves out of sight. */
export const MAX_PINS = 5

/**
 * Pins a question to the top of its course's list until the end of a day, in place of an earlier day.
 * @returns 'full': five others are pinned; 'private': no shared list holds it
 */
export async function pinQuestion(
  write: Write,
  pin: {
    readonly questionId: number
    readonly until: string
    readonly timeZone: string
    readonly actorId: number
  },
): Promise<'done' | 'full' | 'private'> {
  const { questionId, until, timeZone, actorId } = pin
  const { courseId } = await lockQuestion(write, questionId)
  // Two who pin at once wait for each other. Courses are locked after questions.
  await write.selectFrom('courses').select('id').where('id', '=', courseId).forNoKeyUpdate().execute()
  const { rows } = await sql<{ pinned: number; isListed: boolean }>`
    select (select count(*) from pins join questions on questions.id = pins.question_id and questions.is_listed
      where pins.course_id = ${courseId} and until > now() and pins.question_id <> ${questionId})::integer as pinned,
      is_listed as "isListed"
    from questions where id = ${questionId}`.execute(write)
  if (rows[0]?.isListed !== true) return 'private'
  if (rows[0].pinned >= MAX_PINS) return 'full'
  const end = sql<Date>`(${until}::date + 1)::timestamp at time zone ${timeZone}`
  await write
    .insertInto('pins')
    .values({ question_id: questionId, course_id: courseId, until: end, pinned_by: actorId })
    .onConflict((conflict) => conflict.column('question_id').doUpdateSet({ until: end, pinned_by: actorId }))
    .execute()
  return 'done'
}

export async function unpinQuestion(write: Write, questionId: number): Promise<void> {
  await write.deleteFrom('pins').where('question_id', '=', questionId).execute()
}
