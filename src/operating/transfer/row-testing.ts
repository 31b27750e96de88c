import type { Database } from '../../database/schema.ts'

/** A file that was brought into a course and tried, as a row alone. @returns its id */
export async function aTriedImport(db: Database, courseId: number): Promise<number> {
  const brought = {
    ...({ course_id: courseId, state: 'tried', source: 'handup', file_name: 'forum.tar.zst' } as const),
    file: `${crypto.randomUUID().replaceAll('-', '')}.upload`,
    told: JSON.stringify({ imported: {}, skipped: {}, notes: {}, asks: [] }),
  }
  const { id } = await db
    .insertInto('course_imports')
    .values(brought)
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** The same of one that is shown, with its run. */
export async function aShownImport(db: Database, courseId: number): Promise<number> {
  const run = { course_id: courseId, source: 'handup', origin: 'rest', digest: Buffer.alloc(32) }
  const { id: run_id } = await db
    .insertInto('import_runs')
    .values({ ...run, state: 'shown', ended_at: new Date() })
    .returning('id')
    .executeTakeFirstOrThrow()
  const id = await aTriedImport(db, courseId)
  const chosen = { state: 'shown', anonymous: 'drop', groups: 'hold' } as const
  await db
    .updateTable('course_imports')
    .set({ ...chosen, run_id, ended_at: new Date() })
    .where('id', '=', id)
    .execute()
  return id
}
