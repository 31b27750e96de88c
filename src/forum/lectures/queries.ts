import { sql } from 'kysely'
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

/** Positions of the lectures that anyone asked about, in public or not: replacing the lectures keeps these. */
export async function askedPositions(db: Database, courseId: number): Promise<ReadonlySet<number>> {
  const rows = await db
    .selectFrom('lectures')
    .select('position')
    .where('course_id', '=', courseId)
    .where(sql<boolean>`exists (select from questions where questions.lecture_id = lectures.id)`)
    .execute()
  return new Set(rows.map(({ position }) => position))
}
