import type { Database } from '../../database/schema.ts'
import { SETTING_NAMES, type SettingName, type SettingsValues } from './form.ts'

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
      'promise_hours',
      'question_template',
      'synonyms',
      'allows_private',
      'allows_anonymous',
      'allows_embeddings',
    ])
    .where('id', '=', courseId)
    .executeTakeFirstOrThrow()
  const { version, is_public, promise_hours, allows_private, allows_anonymous, allows_embeddings, ...texts } =
    row
  const typed = {
    ...texts,
    visibility: is_public ? 'public' : 'private',
    promise_hours: promise_hours === null ? '' : String(promise_hours),
    allows_private: allows_private ? '1' : '',
    allows_anonymous: allows_anonymous ? '1' : '',
    allows_embeddings: allows_embeddings ? '1' : '',
  }
  return { version, typed }
}

export function listCategories(db: Database, courseId: number) {
  return db
    .selectFrom('categories as category')
    .select(['category.id', 'category.slug', 'category.name'])
    .where('category.course_id', '=', courseId)
    .orderBy('category.position')
    .orderBy('category.id')
    .execute()
}

/** Whether a course has these settings: two people want the same, or a form came twice. */
export function isSame({ typed }: CourseSettings, values: SettingsValues): boolean {
  return SETTING_NAMES.every((name) => values[name] === undefined || typed[name] === typedAs(values[name]))
}

/** A setting as its form has it. */
function typedAs(value: string | number | boolean | null): string {
  return typeof value === 'boolean' ? (value ? '1' : '') : String(value ?? '')
}
