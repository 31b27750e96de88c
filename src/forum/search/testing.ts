import type { Database } from '../../database/schema.ts'
import type { Actor } from '../../kernel/rights/rights.ts'
import type { Ending } from '../../testing/at-end.ts'
import { aCourse, aQuestion, type MadeQuestion } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import type { QuestionOptions } from '../../testing/posts.ts'
import { parseQuery } from './query.ts'
import { search } from './search.ts'
import { findSimilar } from './similar/similar.ts'

/** What visitors find, the best first. */
export async function idsFound(db: Database, text: string): Promise<number[]> {
  return (await search(db, null, parseQuery(text))).hits.map(({ id }) => id)
}

export async function titlesFound(db: Database, text: string): Promise<string[]> {
  return (await search(db, null, parseQuery(text))).hits.map(({ title }) => title)
}

/** Questions of a course that are like one of this title, the nearest first. */
export function similarTo(
  db: Database,
  course: { readonly id: number },
  title: string,
  viewer: Actor | null = null,
) {
  return findSimilar(db, viewer, { title, body: '', tags: [], courseId: course.id, exceptId: null })
}

/** A course with questions of these titles, alike but for that. */
export async function aCourseOf(test: Ending, titles: readonly string[], options: QuestionOptions = {}) {
  const db = await testDatabase(test)
  const course = await aCourse(db)
  const questions: MadeQuestion[] = []
  for (const title of titles) questions.push(await aQuestion(db, { course, title, ...options }))
  const similar = async (title: string) => (await similarTo(db, course, title)).map((one) => one.title)
  return { db, course, questions, similar }
}
