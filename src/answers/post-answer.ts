import { durable } from '../database/durable.ts'
import { isLockedOut, isUnavailable } from '../database/failures.ts'
import { earlierPath, type Once } from '../database/posted-once.ts'
import type { Database } from '../database/schema.ts'
import { together } from '../database/together.ts'
import { renderedBody } from '../questions/post-text.ts'
import { answersPath } from '../web/paths.ts'
import { gone } from '../web/problem.ts'
import { insertAnswers, type NewAnswer } from './insert-answers.ts'

/** The question as far as its answers' addresses go. */
interface Answered {
  readonly id: number
  readonly title: string
}

/**
 * Posts an answer, once for all sendings of its form; whoever answers belongs to the course. Answers that come together are
 * written together, where no question and nobody is locked; what cannot be written so is tried by itself.
 * @returns the path of the answer
 * @throws Problem 410 when the question is deleted
 */
export async function postAnswer(
  db: Database,
  once: Once,
  question: Answered,
  body: string,
): Promise<string> {
  const answer = {
    key: once.key.toString('hex'),
    personId: once.personId,
    questionId: question.id,
    place: answersPath(question),
    ...renderedBody(body),
  }
  const path =
    (await insertWithOthers(db, answer)) ?? (await insertAlone(db, answer)) ?? (await earlierPath(db, once))
  if (path === null) throw gone()
  await durable(db)
  return path
}

/** A form that is sent twice at once is one answer, and both are led there. */
const insertTogether = together(async (db, answers: readonly NewAnswer[]) => {
  const unique = new Map(answers.map((answer) => [answer.key, answer]))
  const paths = await insertAnswers(db, [...unique.values()], 'at once')
  return answers.map(({ key }) => paths.get(key) ?? null)
})

/** What is wrong with one answer, or a course that is locked, is no reason to refuse those it came with. */
async function insertWithOthers(db: Database, answer: NewAnswer): Promise<string | null> {
  try {
    return await insertTogether(db, answer)
  } catch (error) {
    if (isUnavailable(error) && !isLockedOut(error)) throw error
    return null
  }
}

async function insertAlone(db: Database, answer: NewAnswer): Promise<string | null> {
  const paths = await insertAnswers(db, [answer], 'patiently')
  return paths.get(answer.key) ?? null
}
