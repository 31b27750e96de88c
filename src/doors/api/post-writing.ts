import { postAnswer } from '../../forum/answers/operations.ts'
import { anonymous, edited } from '../../forum/posts/form.ts'
import { REMOVALS } from '../../forum/posts/removal.ts'
import { TEXT_EDITS, type TextEditing } from '../../forum/posts/text-edit.ts'
import { editQuestion } from '../../forum/questions/edit-operations.ts'
import { askQuestion } from '../../forum/questions/operations.ts'
import { replyToAnswer, replyToQuestion } from '../../forum/replies/operations.ts'
import { textParam } from '../../web/params.ts'
import { type Answer, API, type Call, type Endpoint } from './endpoint.ts'
import { answerKind, type PostKind, type PostRecord, questionKind, readPost, replyKind } from './posts.ts'
import { idOf, versionToChange, writing } from './writing.ts'

const { title, body, tags, category, lecture, audience, reason } = editQuestion.input
/** Of a new post: both names of one field. */
const naming = { anonymous, is_anonymous: anonymous }
/** Of one that is edited. */
const renaming = { anonymous: edited.anonymous, is_anonymous: edited.anonymous }
const { body: replyBody, resolve, reopen } = replyToAnswer.input
const replyFields = { body: replyBody, ...naming, resolve, reopen }
const none: Answer = { kind: 'none' }

export const postEndpoints: readonly Endpoint[] = [
  writing({
    ...{ method: 'POST', path: '/courses/:course/questions', name: 'createQuestion', tag: 'questions' },
    operation: askQuestion,
    body: { fields: { ...askQuestion.input, ...naming }, required: ['title', 'body'] },
    key: ({ request }) => textParam(request, 'course'),
    ...created('questions', questionKind),
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
      const record = await questionKind.read(call, idOf(call))
      const present = {
        ...{ title: record.title, body: record.body, tags: record.tags.map(({ name }) => name) },
        ...{ category: record.category_slug, lecture: record.lecture_position },
      }
      return { ...present, ...call.body, version: versionToChange(call.request, record.version) }
    },
    ...changed('questions', questionKind),
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
    ...created('answers', answerKind),
  }),
  textEdit('answers', 'editAnswer', TEXT_EDITS.answers, answerKind),
  writing({
    ...{ method: 'DELETE', path: '/answers/:id', name: 'deleteAnswer', tag: 'answers' },
    ...{ operation: REMOVALS.answers.deletion, answer: none, key: idOf, input: () => ({}) },
  }),

  writing({
    ...{ method: 'POST', path: '/questions/:id/replies', name: 'replyToQuestion', tag: 'replies' },
    operation: replyToQuestion,
    body: { fields: replyFields, required: ['body'] },
    key: idOf,
    ...created('replies', replyKind),
  }),
  writing({
    ...{ method: 'POST', path: '/answers/:id/replies', name: 'replyToAnswer', tag: 'replies' },
    operation: replyToAnswer,
    body: { fields: replyFields, required: ['body'] },
    key: idOf,
    ...created('replies', replyKind),
  }),
  textEdit('replies', 'editReply', TEXT_EDITS.replies, replyKind),
  writing({
    ...{ method: 'DELETE', path: '/replies/:id', name: 'deleteReply', tag: 'replies' },
    ...{ operation: REMOVALS.replies.deletion, answer: none, key: idOf, input: () => ({}) },
  }),
]

/** Changing an answer, or a reply: the fields that are left out stay. */
function textEdit<Post extends PostRecord>(
  tag: 'answers' | 'replies',
  name: string,
  operation: TextEditing,
  kind: PostKind<Post>,
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

function created<Post extends PostRecord>(collection: string, kind: PostKind<Post>) {
  return {
    answer: { kind: 'created', schema: kind.schema },
    pathOf: ({ id }: { readonly id: number }) => `/${collection}/${id}`,
    async done(call: Call, path: string) {
      const { item, version } = await readPost(call, Number(path.slice(path.lastIndexOf('/') + 1)), kind)
      return { kind: 'created', item, version, url: `${API}${path}` } as const
    },
  } as const
}

function changed<Post extends PostRecord>(collection: string, kind: PostKind<Post>) {
  return {
    answer: { kind: 'one', schema: kind.schema },
    problems: [412, 428],
    pathOf: ({ id }: { readonly id: number }) => `/${collection}/${id}`,
    async done(call: Call) {
      return readPost(call, idOf(call), kind)
    },
  } as const
}
