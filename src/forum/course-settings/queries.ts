import type { Database } from '../../database/schema.ts'
import type { SettingName } from './form.ts'

/** The settings of a course as its form has them. */
export interface CourseSettings {
  readonly version: number
  readonly typed: Readonly<Record<SettingName, string>>
}

export async function findSettings(db: Database, courseId: number): Promise<CourseSettings> {
  const row = await db
    .selectFrom('courses')
    .select([
      'title',
      'field',
      'description',
      'language',
      'time_zone',
      'is_public',
      'asking',
      'accent',
      'version',
    ])
    .where('id', '=', courseId)
    .executeTakeFirstOrThrow()
  const { version, is_public, ...texts } = row
  return { version, typed: { ...texts, visibility: is_public ? 'public' : 'private' } }
}

/** The categories of a course in their order, with how many questions each has. */
export function listCategories(db: Database, courseId: number) {
  return db
    .selectFrom('categories as category')
    .select(['category.id', 'category.slug', 'category.name'])
    .where('category.course_id', '=', courseId)
    .orderBy('category.position')
    .orderBy('category.id')
    .execute()
}
