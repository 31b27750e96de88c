import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import { DEFAULT_CATEGORY } from '../courses/commands.ts'

/** @returns false: there is none such */
export async function renameCategory(
  write: Write,
  courseId: number,
  id: number,
  name: string,
): Promise<boolean> {
  const renamed = await write
    .updateTable('categories')
    .set({ name })
    .where('course_id', '=', courseId)
    .where('id', '=', id)
    .where('slug', '<>', DEFAULT_CATEGORY.slug)
    .executeTakeFirst()
  return renamed.numUpdatedRows === 1n
}

/** Takes a category from a course; its questions go to the first one, which stays. @returns false: there is none such */
export async function removeCategory(write: Write, courseId: number, id: number): Promise<boolean> {
  // Questions asked in it at the same time wait, or are waited for.
  const { rows } = await sql<{ slug: string }>`
    select slug from categories where course_id = ${courseId} and id = ${id} for update`.execute(write)
  const [category] = rows
  if (category === undefined || category.slug === DEFAULT_CATEGORY.slug) return false
  await sql`
    update questions set category_id = (
      select id from categories where course_id = ${courseId} and slug = ${DEFAULT_CATEGORY.slug})
    where course_id = ${courseId} and category_id = ${id}`.execute(write)
  await write.deleteFrom('categories').where('id', '=', id).execute()
  return true
}
