import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { API, type Endpoint, idOf, writing } from '../../web/json/endpoint.ts'
import { count, id, resource } from '../../web/json/resource.ts'
import { answerPath } from '../../web/paths.ts'
import { type AnswerRecord, answerRecords } from '../posts/records.ts'
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
import { postAnswer } from './operations.ts'

export const answerSchema = resource('Answer', {
  ...postFields,
  question: id,
  votes_count: count,
  is_accepted: z.boolean(),
  is_endorsed: z.boolean(),
  replies_count: count,
  me: z.object({ ...meFields, vote: z.boolean() }).nullable(),
})

export const answerResource = postResource({
  table: 'answers',
  schema: answerSchema,
  read: readBelow('answers', answerRecords),
  itemOf(request: FastifyRequest, record: AnswerRecord, html: string) {
    const self = `${API}/answers/${record.id}`
    const links = {
      ...{ self, html: answerPath(questionOf(record), record.id) },
      ...{ question: `${API}/questions/${record.question_id}`, replies: `${self}/replies` },
    }
    const me = meOf(request, record, () => ({ vote: record.is_voted }))
    return { ...postItem(request, record, html, links), question: record.question_id, me }
  },
})

export const answerEndpoints: readonly Endpoint[] = [
  listingBelow('listAnswers', 'questions', answerResource, answerRecords, (id) => ({ answersOf: id })),
  readingPost('readAnswer', answerResource),
  writing({
    ...{ method: 'POST', path: '/questions/:id/answers', name: 'createAnswer', tag: 'answers' },
    ...{ operation: postAnswer, key: idOf },
    body: { fields: { ...postAnswer.input, ...namedAs }, required: ['body'] },
    ...answeredBy('created', answerResource),
  }),
  editingBelow('editAnswer', 'answers', answerResource),
  deletingPost('deleteAnswer', 'answers'),
]
