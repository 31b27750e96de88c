import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import type { Kind } from '../../jobs/kind.ts'
import { enqueueDue } from '../../jobs/table.ts'
import { onePerson, tell } from './tell.ts'

const CLARIFICATION = 'clarification'
const DAYS = 3

/** Alias `desk`, and `course`, its course. Index: question_desk_asker. */
const isDue = sql<boolean>`desk.asker_since <= now() - make_interval(days => ${sql.lit(DAYS)})
  and desk.reminded_since is distinct from desk.asker_since and course.archived_at is null`

/** The jobs that remind askers of what staff asked back: one for each question, whose id is its key. */
export function clarificationKind(db: Database): Kind {
  return {
    name: CLARIFICATION,
    concurrency: 1,
    batch: 1,
    timeout: 30_000,
    plan: () =>
      enqueueDue(
        db,
        CLARIFICATION,
        sql`select desk.question_id as key, desk.asker_since + make_interval(days => ${sql.lit(DAYS)}) as at
          from courses as course join question_desk as desk on desk.course_id = course.id where ${isDue}`,
      ),
    run: async ([job]) => {
      await remindAsker(db, Number(job?.key))
    },
  }
}

/** Reminds whoever asked a question, once for each time that staff asked for clarification. */
async function remindAsker(db: Database, id: number): Promise<void> {
  await db.transaction().execute(async (write) => {
    const { rows } = await sql`
      select from question_desk as desk join courses as course on course.id = desk.course_id
      where desk.question_id = ${id} and ${isDue} for update of desk skip locked`.execute(write)
    if (rows.length === 0) return
    const asker = sql`select author_id from questions where id = ${id}`
    const happening = { questionId: id, actorId: null, at: sql<Date>`clock_timestamp()` }
    await tell(write, happening, onePerson(asker, CLARIFICATION))
    await sql`update question_desk set reminded_since = asker_since where question_id = ${id}`.execute(write)
  })
}
