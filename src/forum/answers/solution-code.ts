import type { FastifyReply, FastifyRequest } from 'fastify'
import { may } from '../../kernel/rights/rights.ts'
import { fencedLines } from '../../text/code-like.ts'
import { typedFields, typedIn } from '../../web/form.ts'
import { idParam } from '../../web/params.ts'
import { findQuestion } from '../posts/find.ts'
import { readableTree, showQuestion } from '../reading/show.ts'
import { postAnswer } from './operations.ts'

/**
 * Asks a learner whether an answer with much code gives away an assignment, where its course says from how many lines on: the form again,
 * as 422, with a box that says it's fine. It is asked once, and keeps nobody from posting. Of the form alone: programs and emails post at once.
 * @returns null: nothing is to be asked
 */
export async function askAboutCode(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const { body = '', code_asked: asked } = typedFields(request.body)
  const lines = fencedLines(body)
  if (lines === 0 || asked !== undefined) return null
  const id = idParam(request, 'id')
  const person = request.requirePerson()
  const course = await request.server.db
    .selectFrom('questions as q')
    .innerJoin('courses as course', 'course.id', 'q.course_id')
    .select('course.asks_about_code')
    .where('q.id', '=', id)
    .where('course.asks_about_code', '<', lines)
    .executeTakeFirst()
  if (course === undefined) return null
  if (may(person, 'close', await findQuestion(request.server.db, person, id, 'answer'))) return null
  const form = { typed: typedIn(request.body, Object.keys(postAnswer.input)), errors: [] }
  const open = { id: 'answer', form, codeLines: lines }
  return showQuestion(request, reply.code(422), await readableTree(request, id), open)
}
