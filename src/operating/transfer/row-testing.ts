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
