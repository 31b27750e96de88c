import type { FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { postAnswer } from '../../forum/answers/operations.ts'
import { anonymous, edited } from '../../forum/posts/form.ts'
import { REMOVALS } from '../../forum/posts/removal.ts'
import {
  editAnswer,
  editQuestion,
  editReply,
  type TextEditing,
} from '../../forum/questions/edit-operations.ts'
import { askQuestion } from '../../forum/questions/operations.ts'
import { replyToAnswer, replyToQuestion } from '../../forum/replies/operations.ts'
import { textParam } from '../../web/params.ts'
import { API, type Linked, type Outcome } from './answering.ts'
import { readableAnswer, readableReply } from './below.ts'
import type { Answer, Call, Endpoint } from './endpoint.ts'
import { answerBodies, questionBodies, replyBodies } from './posts.ts'
import { readableQuestion } from './questions.ts'
import { answerSchema, questionSchema, replySchema } from './schemas/posts.ts'
import { idOf, versionToChange, writing } from './writing.ts'

interface Versioned {
  readonly version: number
  readonly written_at: Date
  readonly edited_at: Date | null
}

/** How posts of one kind are read after they were written. */
interface Kind<Post extends Versioned> {
  readonly schema: z.ZodType
  read(call: Call, id: number): Promise<Post>
  bodies(request: FastifyRequest, posts: readonly Post[]): Promise<readonly Linked<unknown>[]>
}

const questions = { schema: questionSchema, read: readableQuestion, bodies: questionBodies }
const answers = { schema: answerSchema, read: readableAnswer, bodies: answerBodies }
const replies = { schema: replySchema, read: readableReply, bodies: replyBodies }

const { title, body, tags, category, lecture, audience, reason } = editQuestion.input
/** Of a new post: both names of one field. */
const naming = { anonymous, is_anonymous: anonymous }
/** Of one that is edited. */
const renaming = { anonymous: edited.anonymous, is_anonymous: edited.anonymous }
const { body: replyBody, resolve, reopen } = replyToAnswer.input
const replyFields = { body: replyBody, ...naming, resolve, reopen }
const none: Answer = { kind: 'none' }

/** Asking, answering and replying, and changing and deleting what was written. */
export const postEndpoints: readonly Endpoint[] = [
  writing({
    ...{ method: 'POST', path: '/courses/:course/questions', name: 'createQuestion', tag: 'questions' },
    operation: askQuestion,
    body: { fields: { ...askQuestion.input, ...naming }, required: ['title', 'body'] },
    key: ({ request }) => textParam(request, 'course'),
    ...created('questions', questions),
  }),
  writing({
    ...{ method: 'PATCH', path: '/questions/:id', name: 'editQuestion', tag: 'questions' },
    operation: editQuestion,
    body: {
      fields: { title, body, tags, category, lecture, audience, ...renaming, reason },
      required: [],
    },
    key: idOf,
    async input(call) {
      const record = await readableQuestion(call, idOf(call))
      const present = {
        ...{ title: record.title, body: record.body, tags: record.tags.map(({ name }) => name) },
        ...{ category: record.category_slug, lecture: record.lecture_position },
      }
      return { ...present, ...call.body, version: versionToChange(call.request, record.version) }
    },
    ...changed('questions', questions),
  }),
  writing({
    ...{ method: 'DELETE', path: '/questions/:id', name: 'deleteQuestion', tag: 'questions' },
    ...{ operation: REMOVALS.questions.deletion, answer: none, key: idOf, input: () => ({}) },
  }),

  writing({
    ...{ method: 'POST', path: '/questions/:id/answers', name: 'createAnswer', tag: 'answers' },
    operation: postAnswer,
    body: { fields: { ...postAnswer.input, ...naming }, required: ['body'] },
    key: idOf,
    ...created('answers', answers),
  }),
  textEdit('answers', 'editAnswer', editAnswer, answers),
  writing({
    ...{ method: 'DELETE', path: '/answers/:id', name: 'deleteAnswer', tag: 'answers' },
    ...{ operation: REMOVALS.answers.deletion, answer: none, key: idOf, input: () => ({}) },
  }),

  writing({
    ...{ method: 'POST', path: '/questions/:id/replies', name: 'replyToQuestion', tag: 'replies' },
    operation: replyToQuestion,
    body: { fields: replyFields, required: ['body'] },
    key: idOf,
    ...created('replies', replies),
  }),
  writing({
    ...{ method: 'POST', path: '/answers/:id/replies', name: 'replyToAnswer', tag: 'replies' },
    operation: replyToAnswer,
    body: { fields: replyFields, required: ['body'] },
    key: idOf,
    ...created('replies', replies),
  }),
  textEdit('replies', 'editReply', editReply, replies),
  writing({
    ...{ method: 'DELETE', path: '/replies/:id', name: 'deleteReply', tag: 'replies' },
    ...{ operation: REMOVALS.replies.deletion, answer: none, key: idOf, input: () => ({}) },
  }),
]

/** Changing an answer, or a reply: the fields that are left out stay. */
function textEdit<Post extends Versioned & { readonly body: string }>(
  tag: 'answers' | 'replies',
  name: string,
  operation: TextEditing,
  kind: Kind<Post>,
): Endpoint {
  const { body: text, reason: why } = operation.input
  return writing({
    ...{ method: 'PATCH', path: `/${tag}/:id`, name, tag, operation, key: idOf },
    body: { fields: { body: text, ...renaming, reason: why }, required: [] },
    async input(call) {
      const post = await kind.read(call, idOf(call))
      return { body: post.body, ...call.body, version: versionToChange(call.request, post.version) }
    },
    ...changed(tag, kind),
  })
}

/** Where what was created is, and what it is. */
function created<Post extends Versioned>(collection: string, kind: Kind<Post>) {
  return {
    answer: { kind: 'created', schema: kind.schema },
    pathOf: ({ id }: { readonly id: number }) => `/${collection}/${id}`,
    async done(call: Call, path: string): Promise<Outcome<unknown>> {
      const { one, version } = await written(call, Number(path.slice(path.lastIndexOf('/') + 1)), kind)
      return { kind: 'created', one, version, url: `${API}${path}` }
    },
  } as const
}

/** What became of the post of the address. */
function changed<Post extends Versioned>(collection: string, kind: Kind<Post>) {
  return {
    answer: { kind: 'one', schema: kind.schema },
    problems: [412, 428],
    pathOf: ({ id }: { readonly id: number }) => `/${collection}/${id}`,
    async done(call: Call): Promise<Outcome<unknown>> {
      return { kind: 'one', ...(await written(call, idOf(call), kind)) }
    },
  } as const
}

async function written<Post extends Versioned>(call: Call, id: number, { read, bodies }: Kind<Post>) {
  const post = await read(call, id)
  const [one] = await bodies(call.request, [post])
  if (one === undefined) throw new Error('a record without a body')
  return { one, version: post.version, modifiedAt: post.edited_at ?? post.written_at }
}
