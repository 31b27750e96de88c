import { sql } from 'kysely'
import type { Write } from '../database/schema.ts'

/** By how much a write changes what a course counts. */
export interface CourseDelta {
  readonly questions?: number
  readonly resolved?: number
  readonly unanswered?: number
}

/**
 * Counters are changed in the transaction of what they count. Rows that many writes share are locked last and always in
 * this order, so that no two writes wait for each other: question, tags, lecture, person, course.
 */
export async function countInCourse(write: Write, courseId: number, delta: CourseDelta): Promise<void> {
  await write
    .updateTable('courses')
    .set({
      questions_count: sql`questions_count + ${delta.questions ?? 0}`,
      resolved_count: sql`resolved_count + ${delta.resolved ?? 0}`,
      unanswered_count: sql`unanswered_count + ${delta.unanswered ?? 0}`,
    })
    .where('id', '=', courseId)
    .execute()
}

export async function countInLecture(write: Write, lectureId: number | null, delta: number): Promise<void> {
  if (lectureId === null) return
  await write
    .updateTable('lectures')
    .set({ questions_count: sql`questions_count + ${delta}` })
    .where('id', '=', lectureId)
    .execute()
}

/** What a person has written: `counter` is which of the two. */
export async function countOfPerson(
  write: Write,
  personId: number,
  counter: 'questions_count' | 'answers_count',
  delta: number,
): Promise<void> {
  await write
    .updateTable('people')
    .set({ [counter]: sql`${sql.ref(counter)} + ${delta}` })
    .where('id', '=', personId)
    .execute()
}
