import type { Write } from '../../database/schema.ts'
import { notFound } from '../../operations/problem.ts'
import { course } from '../courses/subjects.ts'
import { findAnnouncement } from './queries.ts'

/** An announcement in its course. @throws Problem 'notFound' */
export async function announcement(write: Write, id: number) {
  const found = await findAnnouncement(write, id)
  if (found === undefined) throw notFound()
  return { ...(await course(write, found.course_slug)), announcement: found }
}
