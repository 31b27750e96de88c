import { sql } from 'kysely'
import type { Language, PolicyName, Write } from '../../database/schema.ts'

/** The place of a page: of the forum in a language, or the rules of a course. */
export interface PolicyPlace {
  /** null: of the forum. */
  readonly courseId: number | null
  readonly name: PolicyName
  readonly language: Language
}

/**
 * Replaces the text of a page.
 * @param begunWith the version that the change was begun with; 0: there was none
 * @returns 'conflict': somebody else changed it meanwhile
 */
export async function changePolicy(
  write: Write,
  { courseId, name, language }: PolicyPlace,
  body: string,
  begunWith: number,
): Promise<'done' | 'conflict'> {
  if (begunWith === 0) {
    const made = await write
      .insertInto('policies')
      .values({ course_id: courseId, name, language, body })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst()
    return made.numInsertedOrUpdatedRows === 1n ? 'done' : 'conflict'
  }
  const place =
    courseId === null
      ? sql<boolean>`course_id is null and name = ${name} and language = ${language}`
      : sql<boolean>`course_id = ${courseId}`
  const changed = await write
    .updateTable('policies')
    .set({ body, language, version: sql`version + 1`, changed_at: sql`now()` })
    .where(place)
    .where('version', '=', begunWith)
    .executeTakeFirst()
  return changed.numUpdatedRows === 1n ? 'done' : 'conflict'
}
