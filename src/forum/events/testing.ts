import type { Database } from '../../database/schema.ts'
import { numberIn, readEventLog } from './cursor.ts'
import { numberEvents } from './numbering.ts'

/** The number of the last event that somebody with a cursor knows. */
export async function numberAt(db: Database, cursor: string): Promise<number> {
  return numberIn(cursor, await readEventLog(db), 'after')
}

/**
 * Numbers what happens in a forum from now on.
 * @returns what it has not returned before, in order: `answer.created 31`, with `(staff)` where only they and the asker could know
 */
export async function recordEvents(db: Database): Promise<() => Promise<string[]>> {
  let last = 0
  const since = async () => {
    await numberEvents(db)
    const events = await db
      .selectFrom('events')
      .select(['number', 'type', 'audience', 'question_id', 'answer_id', 'reply_id', 'announcement_id'])
      .where('number', '>', last)
      .orderBy('number')
      .execute()
    last = events.at(-1)?.number ?? last
    return events.map((event) => {
      const kind = event.type.split('.')[0]
      const id = kind === 'course' ? '' : ` ${event[`${kind}_id` as 'question_id']}`
      return `${event.type}${id}${event.audience === 'staff' ? ' (staff)' : ''}`
    })
  }
  await since()
  return since
}
