import type { Database } from '../database/schema.ts'
import { loadForum } from '../tools/generate/load.ts'
import type { Ending } from './at-end.ts'
import { filledDatabase } from './database.ts'

/** Its questions: enough that PostgreSQL reads them by index. */
export const BIG_FORUM_QUESTIONS = 4000

/** A copy of a generated forum of several courses, for tests of the plans of lists; made once for all of them. */
export function aBigForum(test: Ending): Promise<{ db: Database; url: string }> {
  return aForumOf(test, 'big', BIG_FORUM_QUESTIONS)
}

/** The same of another size. @param name of the size */
export function aForumOf(
  test: Ending,
  name: string,
  questions: number,
): Promise<{ db: Database; url: string }> {
  return filledDatabase(test, name, (url) =>
    loadForum(url, { questions, seed: 12, course: null }, { begin() {}, advance() {} }),
  )
}
