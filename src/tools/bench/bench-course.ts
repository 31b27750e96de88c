import type { Language, Write } from '../../database/schema.ts'
import { addMember, createCourse } from '../../forum/courses/commands.ts'

/** Where a bench asks its questions. */
export interface BenchCourse {
  readonly courseId: number
  readonly authorId: number
  readonly categoryId: number
}

/** A course with one learner, who asks everything. */
export async function benchCourse(
  write: Write,
  { slug, title, language }: { slug: string; title: string; language: Language },
): Promise<BenchCourse> {
  const course = await createCourse(write, { slug, title, language, timeZone: 'UTC' })
  const author = await write
    .insertInto('people')
    .values({ display_name: 'Bench' })
    .returning('id')
    .executeTakeFirstOrThrow()
  await addMember(write, course.id, author.id, 'learner')
  const category = await write
    .selectFrom('categories')
    .select('id')
    .where('course_id', '=', course.id)
    .executeTakeFirstOrThrow()
  return { courseId: course.id, authorId: author.id, categoryId: category.id }
}
