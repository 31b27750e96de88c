import type { Write } from '../../database/schema.ts'
import { notFound } from '../../operations/problem.ts'
import { course } from '../courses/find-course.ts'
import { findEntry } from './queries.ts'

/** An entry of a course's FAQ. @throws Problem 'notFound' */
export async function entry(write: Write, id: number) {
  const found = await findEntry(write, id)
  if (found === undefined) throw notFound()
  return { ...(await course(write, found.slug)), entry: found }
}
