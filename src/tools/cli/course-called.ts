import type { Database } from '../../database/schema.ts'
import { type Course, findCourse } from '../../forum/courses/queries.ts'
import { CommandError } from './run.ts'

/** @throws CommandError when there is no such course */
export async function courseCalled(db: Database, slug: string): Promise<Course> {
  const course = await findCourse(db, slug)
  if (course === null) throw new CommandError(`there is no course "${slug}"; list them with course list`)
  return course
}
