import { z } from 'zod'
import { findAnswer, findQuestion } from '../../forum/posts/find.ts'
import { answerRecords, type Parent, POST_SORTS, replyRecords } from '../../forum/posts/records.ts'
import { list } from './answering.ts'
import { type Call, listOf, oneOf, reading } from './endpoint.ts'
import { cursorIn, cut, paging, textsOfPost } from './paging.ts'
import { answerKind, readPost, replyKind } from './posts.ts'
import { answerSchema, replySchema } from './schemas/posts.ts'
import { idOf } from './writing.ts'

const listQuery = z.object({ ...paging, sort: z.enum(POST_SORTS).default('oldest') })
type ListCall = Call<z.output<typeof listQuery>>

const placeOf = ({ id, written_at }: { readonly id: number; readonly written_at: Date }) => ({
  value: written_at.getTime(),
  id,
})

export const belowEndpoints = [
  reading(
    '/questions/:id/answers',
    listOf(answerSchema),
    { name: 'listAnswers', tag: 'answers', query: listQuery },
    async (call) => {
      const { request } = call
      const records = await answerRecords.list(
        request.server.db,
        request.person,
        { answersOf: idOf(call) },
        pageOf(call),
      )
      await dependOnQuestion(call, records)
      const { rows, next } = cut(records, call.query.limit, placeOf, textsOfPost)
      return list(await answerKind.bodies(request, rows), next)
    },
  ),

  reading('/answers/:id', oneOf(answerSchema), { name: 'readAnswer', tag: 'answers' }, (call) =>
    readPost(call, idOf(call), answerKind),
  ),

  reading(
    '/questions/:id/replies',
    listOf(replySchema),
    { name: 'listRepliesToQuestion', tag: 'replies', query: listQuery },
    (call) => replies(call, { repliesToQuestion: idOf(call) }, dependOnQuestion),
  ),

  reading(
    '/answers/:id/replies',
    listOf(replySchema),
    { name: 'listReplies', tag: 'replies', query: listQuery },
    (call) => replies(call, { repliesToAnswer: idOf(call) }, dependOnAnswer),
  ),

  reading('/replies/:id', oneOf(replySchema), { name: 'readReply', tag: 'replies' }, (call) =>
    readPost(call, idOf(call), replyKind),
  ),
]

const pageOf = ({ query }: ListCall) => ({
  ...query,
  after: cursorIn(query.cursor, 'time'),
  size: query.limit,
})

async function replies(call: ListCall, to: Parent, depend: typeof dependOnQuestion) {
  const { request, query } = call
  const records = await replyRecords.list(request.server.db, request.person, to, pageOf(call))
  await depend(call, records)
  const { rows, next } = cut(records, query.limit, placeOf, textsOfPost)
  return list(await replyKind.bodies(request, rows), next)
}

/** None are told apart from none that may be read only where there are none. */
async function dependOnQuestion(call: ListCall, { length }: readonly unknown[]): Promise<void> {
  const { server, person, rendering } = call.request
  const id = idOf(call)
  if (length === 0) await findQuestion(server.db, person, id, 'read')
  rendering?.dependsOn(`question:${id}`)
}

async function dependOnAnswer(call: ListCall, { length }: readonly unknown[]): Promise<void> {
  const { server, person, rendering } = call.request
  if (length > 0) return
  const answer = await findAnswer(server.db, person, idOf(call), 'read')
  rendering?.dependsOn(`question:${answer.questionId}`)
}
