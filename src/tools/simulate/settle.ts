import { sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import { openWindows } from '../../forum/telling/deliveries.ts'

/**
 * Simulated time: the clock stays, what is written is moved. Every time in a thread that is later than `at` becomes `at`: what
 * was just written, by a command or a form, happened then. The simulated weeks lie in the past, so that nothing else is
 * later; whose turn it is follows by the desk's own triggers.
 */
export async function settle(db: Database, questionId: number, at: Date): Promise<void> {
  await db.transaction().execute(async (write) => {
    await sql`
      update answers set written_at = ${earlier('written_at', at)}, endorsed_at = ${earlier('endorsed_at', at)},
        hidden_at = ${earlier('hidden_at', at)}
      where question_id = ${questionId} and greatest(written_at, endorsed_at, hidden_at) > ${at}`.execute(
      write,
    )
    await sql`
      update replies set written_at = ${at} where question_id = ${questionId} and written_at > ${at}`.execute(
      write,
    )
    await sql`
      update questions set written_at = ${earlier('written_at', at)}, active_at = ${earlier('active_at', at)},
        resolved_at = ${earlier('resolved_at', at)}, reopened_at = ${earlier('reopened_at', at)},
        closed_at = ${earlier('closed_at', at)}
      where id = ${questionId}`.execute(write)
    await settleTold(write, questionId, at)
  })
}

/** The same for the cases of an answer, which was just reported or decided on. Only measures without an end are moved. */
export async function settleCase(db: Database, answerId: number, at: Date): Promise<void> {
  await db.transaction().execute(async (write) => {
    const cases = sql`select id from cases where answer_id = ${answerId}`
    await sql`
      update cases set opened_at = ${earlier('opened_at', at)}, decided_at = ${earlier('decided_at', at)}
      where answer_id = ${answerId}`.execute(write)
    await sql`update reports set reported_at = ${at} where reported_at > ${at} and case_id in (${cases})`.execute(
      write,
    )
    await sql`
      update case_snapshots set taken_at = ${at} where taken_at > ${at} and case_id in (${cases})`.execute(
      write,
    )
    await sql`
      update measures set starts_at = ${at}
      where starts_at > ${at} and ends_at is null and case_id in (${cases})`.execute(write)
    await sql`
      update notifications set since_at = ${earlier('since_at', at)}, happened_at = ${at}
      where happened_at > ${at} and case_id in (${cases})`.execute(write)
  })
}

/** What was just told was told then, and is mailed when it would have been. */
async function settleTold(write: Write, questionId: number, at: Date): Promise<void> {
  const { rows } = await sql<{ id: number }>`
    update notifications set since_at = ${earlier('since_at', at)}, happened_at = ${at},
      accepted_at = ${earlier('accepted_at', at)}, endorsed_at = ${earlier('endorsed_at', at)}
    where question_id = ${questionId} and happened_at > ${at} returning person_id as id`.execute(write)
  const people = rows.map(({ id }) => id)
  await sql`
    update deliveries set waiting_since = ${at}
    where waiting_since > ${at} and person_id = any(${people}::bigint[])`.execute(write)
  await sql`
    delete from delivery_windows where begins_at > ${at} and person_id = any(${people}::bigint[])`.execute(
    write,
  )
  await openWindows(write, people)
  await sql`
    update question_reads set read_at = ${at} where question_id = ${questionId} and read_at > ${at}`.execute(
    write,
  )
}

/** A column that may be null: least() would fill it in. */
function earlier(column: string, at: Date) {
  return sql`case when ${sql.ref(column)} > ${at} then ${at} else ${sql.ref(column)} end`
}
