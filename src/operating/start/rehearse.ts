import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { postAnswer } from '../../forum/answers/operations.ts'
import { writeDocuments } from '../../forum/search/write-documents.ts'
import { performIn, prepare } from '../../operations/perform.ts'
import { Problem } from '../../operations/problem.ts'
import { Refused } from '../../operations/refused.ts'

/** An answer that is posted and taken back. */
export interface Rehearsed {
  readonly questionId: number
  readonly authorId: number
  readonly body: string
}

/**
 * Posts answers, all at once, makes what search will find of them, and takes it all back: nobody sees or hears of it, only their ids
 * are passed over. The hundred statements of a post and of its triggers are planned by each connection for itself, which takes longer
 * than the post.
 */
export async function rehearseAnswers(app: FastifyInstance, answers: readonly Rehearsed[]): Promise<void> {
  await Promise.all(answers.map((answer) => rehearseAnswer(app, answer)))
}

async function rehearseAnswer({ db, config }: FastifyInstance, answer: Rehearsed): Promise<void> {
  const { questionId: key, authorId, body } = answer
  const call = { actor: { id: authorId }, key, input: { body } }
  const prepared = await prepare(db, postAnswer, call)
  const write = await db.startTransaction().execute()
  try {
    await performIn(write, prepared, { baseUrl: config.baseUrl, language: 'en', log: () => {} })
    // What triggers do when it would be committed.
    await sql`set constraints all immediate`.execute(write)
    await writeDocuments(write, [key], new Map())
  } catch (error) {
    // The author may not answer there any more, or not with this text.
    if (!(error instanceof Problem || error instanceof Refused)) throw error
  } finally {
    await write.rollback().execute()
  }
}
