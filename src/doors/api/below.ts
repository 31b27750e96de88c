import { z } from 'zod'
import {
  type AnswerRecord,
  findAnswerRecord,
  listAnswerRecords,
  POST_SORTS,
} from '../../forum/answers/records.ts'
import { findAnswer, findQuestion, findReply } from '../../forum/posts/find.ts'
import {
  findReplyRecord,
  listReplyRecords,
  type RepliedTo,
  type ReplyRecord,
} from '../../forum/replies/records.ts'
import { notFound } from '../../operations/problem.ts'
import { idParam } from '../../web/params.ts'
import { list, one } from './answering.ts'
import { type Call, listOf, oneOf, reading } from './endpoint.ts'
import { cursorIn, cut, paging, textsOfPost } from './paging.ts'
import { answerBodies, replyBodies } from './posts.ts'
import { answerSchema, replySchema } from './schemas/posts.ts'

const listQuery = z.object({ ...paging, sort: z.enum(POST_SORTS).default('oldest') })

/** Place of a post in a list by time. */
const placeOf = ({ id, written_at }: { readonly id: number; readonly written_at: Date }) => ({
  value: written_at.getTime(),
  id,
})

/** Answers and replies: what is below a question. */
export const belowEndpoints = [
  reading(
    '/questions/:id/answers',
    listOf(answerSchema),
    { name: 'listAnswers', tag: 'answers', query: listQuery },
    async ({ request, query }) => {
      const { server, person } = request
      const id = idParam(request, 'id')
      const asked = { ...query, after: cursorIn(query.cursor, 'time'), size: query.limit }
      const records = await listAnswerRecords(server.db, person, id, asked)
      // None are told apart from none that may be read only where there are none.
      if (records.length === 0) await findQuestion(server.db, person, id, 'read')
      request.rendering?.dependsOn(`question:${id}`)
      const { rows, next } = cut(records, query.limit, placeOf, textsOfPost)
      return list(await answerBodies(request, rows), next)
    },
  ),

  reading(
    '/answers/:id',
    oneOf(answerSchema),
    { name: 'readAnswer', tag: 'answers' },
    async ({ request }) => {
      const { server, person } = request
      const id = idParam(request, 'id')
      await findAnswer(server.db, person, id, 'read')
      const record = await findAnswerRecord(server.db, person, id)
      if (record === undefined) throw notFound()
      const [body] = await answerBodies(request, [record])
      if (body === undefined) throw notFound()
      return one(body, { version: record.version, modifiedAt: record.edited_at ?? record.written_at })
    },
  ),

  reading(
    '/questions/:id/replies',
    listOf(replySchema),
    { name: 'listRepliesToQuestion', tag: 'replies', query: listQuery },
    (call) => replies(call, { questionId: idParam(call.request, 'id') }),
  ),

  reading(
    '/answers/:id/replies',
    listOf(replySchema),
    { name: 'listReplies', tag: 'replies', query: listQuery },
    (call) => replies(call, { answerId: idParam(call.request, 'id') }),
  ),

  reading('/replies/:id', oneOf(replySchema), { name: 'readReply', tag: 'replies' }, async ({ request }) => {
    const record = await readableReply({ request }, idParam(request, 'id'))
    const [body] = await replyBodies(request, [record])
    if (body === undefined) throw notFound()
    return one(body, { version: record.version, modifiedAt: record.edited_at ?? record.written_at })
  }),
]

async function replies({ request, query }: Call<z.output<typeof listQuery>>, to: RepliedTo) {
  const { server, person } = request
  const asked = { ...query, after: cursorIn(query.cursor, 'time'), size: query.limit }
  const records = await listReplyRecords(server.db, person, to, asked)
  if ('questionId' in to) {
    if (records.length === 0) await findQuestion(server.db, person, to.questionId, 'read')
    request.rendering?.dependsOn(`question:${to.questionId}`)
  } else if (records.length === 0) {
    const answer = await findAnswer(server.db, person, to.answerId, 'read')
    request.rendering?.dependsOn(`question:${answer.questionId}`)
  }
  const { rows, next } = cut(records, query.limit, placeOf, textsOfPost)
  return list(await replyBodies(request, rows), next)
}

/** @throws Problem 'notFound' or 'gone' when it is not there, or not for the one who asks */
export async function readableAnswer({ request }: Pick<Call, 'request'>, id: number): Promise<AnswerRecord> {
  const { server, person } = request
  await findAnswer(server.db, person, id, 'read')
  const record = await findAnswerRecord(server.db, person, id)
  if (record === undefined) throw notFound()
  return record
}

/** @throws Problem 'notFound' or 'gone' when it is not there, or not for the one who asks */
export async function readableReply({ request }: Pick<Call, 'request'>, id: number): Promise<ReplyRecord> {
  const { server, person } = request
  await findReply(server.db, person, id, 'read')
  const record = await findReplyRecord(server.db, person, id)
  if (record === undefined) throw notFound()
  return record
}
