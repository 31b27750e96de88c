import type { Database } from '../../database/schema.ts'

/** All lectures of a course, by position. Uses index lectures_position_key. */
export function listLectures(db: Database, courseId: number) {
  return db
    .selectFrom('lectures')
    .select(['id', 'position', 'title', 'questions_count', 'unresolved_count'])
    .where('course_id', '=', courseId)
    .orderBy('position')
    .execute()
}
