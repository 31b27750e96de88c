import type { Database } from '../database/schema.ts'
import { addCategory, createCourse, type NewCourse, setLectures } from '../forum/courses/commands.ts'

/** A course for tests. */
export interface MadeCourse {
  readonly id: number
  readonly slug: string
  readonly title: string
  /** Of its default category, questions-and-answers. */
  readonly categoryId: number
  /** In the order of the lectures. */
  readonly lectureIds: readonly number[]
}

export interface CourseOptions extends Partial<NewCourse> {
  /** Titles, in their order. */
  readonly lectures?: readonly string[]
  /** Names of further categories; their slugs are the names in lower case. */
  readonly categories?: readonly string[]
}

let made = 0

/** A public course with the default category. */
export async function aCourse(db: Database, options: CourseOptions = {}): Promise<MadeCourse> {
  made += 1
  const { lectures = [], categories = [], ...course } = options
  const title = course.title ?? `Course ${made}`
  const created = await db.transaction().execute(async (write) => {
    const row = await createCourse(write, { language: 'en', timeZone: 'UTC', ...course, title })
    await setLectures(
      write,
      row.id,
      lectures.map((name, index) => ({ position: index + 1, title: name })),
    )
    for (const name of categories) await addCategory(write, row.id, name)
    return row
  })
  return { ...created, title, ...(await partsOf(db, created.id)) }
}

/** @param hours null: nothing is promised any more */
export async function setPromise(db: Database, courseId: number, hours: number | null): Promise<void> {
  await db.updateTable('courses').set({ promise_hours: hours }).where('id', '=', courseId).execute()
}

async function partsOf(
  db: Database,
  courseId: number,
): Promise<Pick<MadeCourse, 'categoryId' | 'lectureIds'>> {
  const category = await db
    .selectFrom('categories')
    .select('id')
    .where('course_id', '=', courseId)
    .orderBy('position')
    .executeTakeFirstOrThrow()
  const lectures = await db
    .selectFrom('lectures')
    .select('id')
    .where('course_id', '=', courseId)
    .orderBy('position')
    .execute()
  return { categoryId: category.id, lectureIds: lectures.map((lecture) => lecture.id) }
}
