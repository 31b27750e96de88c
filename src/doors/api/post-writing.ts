import type { z } from 'zod'
import { answerDeletion, postAnswer } from '../../forum/answers/operations.ts'
import { editAnswer, editQuestion, editReply } from '../../forum/questions/edit-operations.ts'
import { anonymous, edited } from '../../forum/questions/form.ts'
import { askQuestion, questionDeletion } from '../../forum/questions/operations.ts'
import { replyDeletion, replyToAnswer, replyToQuestion } from '../../forum/replies/operations.ts'
import { textParam } from '../../web/params.ts'
import { readableAnswer, readableReply } from './below.ts'
import type { Answer, Call, Endpoint } from './endpoint.ts'
import type { Linked, Outcome } from './outcome.ts'
import { answerBodies, questionBodies, replyBodies } from './posts.ts'
import { readableQuestion } from './questions.ts'
import { answerSchema, questionSchema, replySchema } from './schemas/posts.ts'
import { versionToChange } from './versions.ts'
import { idOf, writing } from './writing.ts'

const created = (schema: z.ZodType): Answer => ({ kind: 'created', schema })
const changed = (schema: z.ZodType): Answer => ({ kind: 'one', schema })
const none: Answer = { kind: 'none' }
const STALE = [412, 428]

const { title, body, tags, category, lecture, reason } = edited
const replyFields = { body: editReply.input.body, anonymous, resolve: replyToAnswer.input.resolve }

/** Asking, answering and replying, and changing and deleting what was written. */
export const postEndpoints: readonly Endpoint[] = [
  writing({
    ...{ method: 'POST', path: '/courses/:course/questions', name: 'createQuestion', tag: 'questions' },
    operation: askQuestion,
    body: { fields: askQuestion.input, required: ['title', 'body'] },
    answer: created(questionSchema),
    key: ({ request }) => textParam(request, 'course'),
    pathOf: ({ id }) => `/questions/${id}`,
    done: (call, path) => createdQuestion(call, path),
  }),
  writing({
    ...{ method: 'PATCH', path: '/questions/:id', name: 'editQuestion', tag: 'questions', problems: STALE },
    operation: editQuestion,
    body: {
      fields: { title, body, tags, category, lecture, anonymous: edited.anonymous, reason },
      required: [],
    },
    answer: changed(questionSchema),
    key: idOf,
    async input(call) {
      const { record } = await question(call)
      const present = {
        ...{ title: record.title, body: record.body, tags: record.tags.map(({ name }) => name) },
        ...{ category: record.category_slug, lecture: record.lecture_position },
      }
      return { ...present, ...call.body, version: versionToChange(call.request, record.version) }
    },
    pathOf: ({ id }) => `/questions/${id}`,
    done: async (call) => (await question(call)).outcome(),
  }),
  writing({
    ...{ method: 'DELETE', path: '/questions/:id', name: 'deleteQuestion', tag: 'questions' },
    ...{ operation: questionDeletion, answer: none, key: idOf, input: () => ({}) },
  }),

  writing({
    ...{ method: 'POST', path: '/questions/:id/answers', name: 'createAnswer', tag: 'answers' },
    operation: postAnswer,
    body: { fields: postAnswer.input, required: ['body'] },
    answer: created(answerSchema),
    key: idOf,
    pathOf: ({ id }) => `/answers/${id}`,
    done: (call, path) => createdAnswer(call, path),
  }),
  writing({
    ...{ method: 'PATCH', path: '/answers/:id', name: 'editAnswer', tag: 'answers', problems: STALE },
    operation: editAnswer,
    body: {
      fields: { body: editAnswer.input.body, anonymous: editAnswer.input.anonymous, reason },
      required: [],
    },
    answer: changed(answerSchema),
    key: idOf,
    async input(call) {
      const record = await readableAnswer(call, idOf(call))
      return { body: record.body, ...call.body, version: versionToChange(call.request, record.version) }
    },
    pathOf: ({ id }) => `/answers/${id}`,
    async done(call) {
      const record = await readableAnswer(call, idOf(call))
      return shown(await answerBodies(call.request, [record]), record)
    },
  }),
  writing({
    ...{ method: 'DELETE', path: '/answers/:id', name: 'deleteAnswer', tag: 'answers' },
    ...{ operation: answerDeletion, answer: none, key: idOf, input: () => ({}) },
  }),

  writing({
    ...{ method: 'POST', path: '/questions/:id/replies', name: 'replyToQuestion', tag: 'replies' },
    operation: replyToQuestion,
    body: { fields: replyFields, required: ['body'] },
    answer: created(replySchema),
    key: idOf,
    pathOf: ({ id }) => `/replies/${id}`,
    done: (call, path) => createdReply(call, path),
  }),
  writing({
    ...{ method: 'POST', path: '/answers/:id/replies', name: 'replyToAnswer', tag: 'replies' },
    operation: replyToAnswer,
    body: { fields: replyFields, required: ['body'] },
    answer: created(replySchema),
    key: idOf,
    pathOf: ({ id }) => `/replies/${id}`,
    done: (call, path) => createdReply(call, path),
  }),
  writing({
    ...{ method: 'PATCH', path: '/replies/:id', name: 'editReply', tag: 'replies', problems: STALE },
    operation: editReply,
    body: {
      fields: { body: editReply.input.body, anonymous: editReply.input.anonymous, reason },
      required: [],
    },
    answer: changed(replySchema),
    key: idOf,
    async input(call) {
      const record = await readableReply(call, idOf(call))
      return { body: record.body, ...call.body, version: versionToChange(call.request, record.version) }
    },
    pathOf: ({ id }) => `/replies/${id}`,
    async done(call) {
      const record = await readableReply(call, idOf(call))
      return shown(await replyBodies(call.request, [record]), record)
    },
  }),
  writing({
    ...{ method: 'DELETE', path: '/replies/:id', name: 'deleteReply', tag: 'replies' },
    ...{ operation: replyDeletion, answer: none, key: idOf, input: () => ({}) },
  }),
]

/** The number at the end of the address of something that was written. */
const numberIn = (path: string) => Number(path.slice(path.lastIndexOf('/') + 1))

interface Versioned {
  readonly version: number
  readonly written_at: Date
  readonly edited_at: Date | null
}

function shown<Body>(
  bodies: readonly Linked<Body>[],
  { version, written_at, edited_at }: Versioned,
): Outcome<Body> {
  const [one] = bodies
  if (one === undefined) throw new Error('a record without a body')
  return { kind: 'one', one, version, modifiedAt: edited_at ?? written_at }
}

async function question(call: Call) {
  const record = await readableQuestion(call, idOf(call))
  return { record, outcome: async () => shown(await questionBodies(call.request, [record]), record) }
}

function asCreated<Body>(
  bodies: readonly Linked<Body>[],
  { version }: Versioned,
  path: string,
): Outcome<Body> {
  const [one] = bodies
  if (one === undefined) throw new Error('a record without a body')
  return { kind: 'created', one, version, path }
}

async function createdQuestion(call: Call, path: string) {
  const record = await readableQuestion(call, numberIn(path))
  return asCreated(await questionBodies(call.request, [record]), record, path)
}

async function createdAnswer(call: Call, path: string) {
  const record = await readableAnswer(call, numberIn(path))
  return asCreated(await answerBodies(call.request, [record]), record, path)
}

async function createdReply(call: Call, path: string) {
  const record = await readableReply(call, numberIn(path))
  return asCreated(await replyBodies(call.request, [record]), record, path)
}
