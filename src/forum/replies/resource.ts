import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { type Actor, seesNames } from '../../kernel/rights/rights.ts'
import { API, type Endpoint, idOf, writing } from '../../web/json/endpoint.ts'
import { id, resource } from '../../web/json/resource.ts'
import { replyPath } from '../../web/paths.ts'
import { type ReplyRecord, replyRecords } from '../posts/records.ts'
import {
  answeredBy,
  deletingPost,
  editingBelow,
  listingBelow,
  meFields,
  meOf,
  namedAs,
  postFields,
  postItem,
  postResource,
  questionOf,
  readBelow,
  readingPost,
} from '../reading/post-resource.ts'
import { replyToAnswer, replyToQuestion } from './operations.ts'

export const replySchema = resource('Reply', {
  ...postFields,
  question: id,
  answer: id.nullable(),
  is_asker: z.boolean(),
  me: z.object(meFields).nullable(),
})

export const replyResource = postResource({
  table: 'replies',
  schema: replySchema,
  read: readBelow('replies', replyRecords),
  itemOf(request: FastifyRequest, record: ReplyRecord, html: string) {
    const { id, question_id: question, answer_id: answer } = record
    const links = {
      ...{ self: `${API}/replies/${id}`, html: replyPath(questionOf(record), id) },
      question: `${API}/questions/${question}`,
      ...(answer !== null && { answer: `${API}/answers/${answer}` }),
    }
    const isAsker = isToldAsAsker(request.person, record)
    const me = meOf(request, record, () => ({}))
    return { ...postItem(request, record, html, links), question, answer, is_asker: isAsker, me }
  },
})

/** Under the name, or both without it; staff see who it is. */
function isToldAsAsker(viewer: Actor | null, record: ReplyRecord): boolean {
  if (record.author_id !== record.asker_id) return false
  return record.is_anonymous === record.is_asker_anonymous || seesNames(viewer, record.course_id)
}

const { body, resolve, reopen } = replyToAnswer.input
const replying = {
  ...({ method: 'POST', tag: 'replies', key: idOf } as const),
  body: { fields: { body, ...namedAs, resolve, reopen }, required: ['body'] },
  ...answeredBy('created', replyResource),
}

export const replyEndpoints: readonly Endpoint[] = [
  listingBelow('listRepliesToQuestion', 'questions', replyResource, replyRecords, (id) => ({
    repliesToQuestion: id,
  })),
  listingBelow('listReplies', 'answers', replyResource, replyRecords, (id) => ({ repliesToAnswer: id })),
  readingPost('readReply', replyResource),
  writing({
    ...{ ...replying, path: '/questions/:id/replies', name: 'replyToQuestion' },
    operation: replyToQuestion,
  }),
  writing({ ...replying, path: '/answers/:id/replies', name: 'replyToAnswer', operation: replyToAnswer }),
  editingBelow('editReply', 'replies', replyResource),
  deletingPost('deleteReply', 'replies'),
]
