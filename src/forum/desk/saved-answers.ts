import { sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'

/** An answer that a course's staff give often. */
export interface SavedAnswer {
  readonly id: number
  readonly title: string
  readonly body: string
  readonly version: number
}

/** A course's staff write them by hand: there are few. */
const MAX_SHOWN = 200

export function listSavedAnswers(db: Database, courseId: number): Promise<SavedAnswer[]> {
  return db
    .selectFrom('saved_answers')
    .select(['id', 'title', 'body', 'version'])
    .where('course_id', '=', courseId)
    .orderBy('title')
    .limit(MAX_SHOWN)
    .execute()
}

export async function findSavedAnswer(
  db: Database,
  courseId: number,
  id: number,
): Promise<SavedAnswer | null> {
  const found = await db
    .selectFrom('saved_answers')
    .select(['id', 'title', 'body', 'version'])
    .where('course_id', '=', courseId)
    .where('id', '=', id)
    .executeTakeFirst()
  return found ?? null
}

/** 'taken': the course has one of that title. 'conflict': somebody changed it meanwhile. */
export type SavingOutcome = 'done' | 'taken' | 'conflict'

interface Saving {
  readonly courseId: number
  readonly title: string
  readonly body: string
}

export async function addSavedAnswer(
  write: Write,
  { courseId, title, body }: Saving,
): Promise<SavingOutcome> {
  if (await isTaken(write, courseId, title, 0)) return 'taken'
  await write.insertInto('saved_answers').values({ course_id: courseId, title, body }).execute()
  return 'done'
}

/** @param saved `version`: the one the editor began with */
export async function saveAnswer(
  write: Write,
  { courseId, id, title, body, version }: Saving & { readonly id: number; readonly version: number },
): Promise<SavingOutcome> {
  if (await isTaken(write, courseId, title, id)) return 'taken'
  const changed = await write
    .updateTable('saved_answers')
    .set({ title, body, version: version + 1, saved_at: sql`now()` })
    .where('course_id', '=', courseId)
    .where('id', '=', id)
    .where('version', '=', version)
    .returning('id')
    .executeTakeFirst()
  return changed === undefined ? 'conflict' : 'done'
}

/** Whether another one has the title. Somebody who saves one in the course at the same time waits. */
async function isTaken(write: Write, courseId: number, title: string, id: number): Promise<boolean> {
  await write.selectFrom('courses').select('id').where('id', '=', courseId).forNoKeyUpdate().execute()
  const other = await write
    .selectFrom('saved_answers')
    .select('id')
    .where('course_id', '=', courseId)
    .where('title', '=', title)
    .where('id', '<>', id)
    .executeTakeFirst()
  return other !== undefined
}

export async function removeSavedAnswer(write: Write, courseId: number, id: number): Promise<void> {
  await write.deleteFrom('saved_answers').where('course_id', '=', courseId).where('id', '=', id).execute()
}
