import { postAnswer } from '../../forum/answers/operations.ts'
import { anonymous, edited } from '../../forum/posts/form.ts'
import type { PostTable } from '../../forum/posts/kinds.ts'
import { REMOVALS } from '../../forum/posts/removal.ts'
import { TEXT_EDITS } from '../../forum/posts/text-edit.ts'
import { editQuestion } from '../../forum/questions/edit-operations.ts'
import { askQuestion } from '../../forum/questions/operations.ts'
import { replyToAnswer, replyToQuestion } from '../../forum/replies/operations.ts'
import { type Call, type Endpoint, idOf, writing } from '../../web/json/endpoint.ts'
import { textParam } from '../../web/params.ts'
import { answerKind, type PostKind, type PostRecord, questionKind, readPost, replyKind } from './posts.ts'

const { title, body, tags, category, lecture, audience, reason } = editQuestion.input
/** Of a new post: both names of one field. */
const naming = { anonymous, is_anonymous: anonymous }
/** Of one that is edited. */
const renaming = { anonymous: edited.anonymous, is_anonymous: edited.anonymous }
const { body: replyBody, resolve, reopen } = replyToAnswer.input
const replying = {
  ...({ method: 'POST', tag: 'replies', key: idOf } as const),
  body: { fields: { body: replyBody, ...naming, resolve, reopen }, required: ['body'] },
  ...answered('created', 'replies', replyKind),
}

export const postEndpoints: readonly Endpoint[] = [
  writing({
    ...{ method: 'POST', path: '/courses/:course/questions', name: 'createQuestion', tag: 'questions' },
    operation: askQuestion,
    body: { fields: { ...askQuestion.input, ...naming }, required: ['title', 'body'] },
    key: ({ request }) => textParam(request, 'course'),
    ...answered('created', 'questions', questionKind),
  }),
  writing({
    ...{ method: 'PATCH', path: '/questions/:id', name: 'editQuestion', tag: 'questions' },
    ...{ operation: editQuestion, key: idOf },
    body: {
      fields: { title, body, tags, category, lecture, audience, ...renaming, reason },
      required: [],
    },
    async present(call) {
      const { title, body, version, ...record } = await questionKind.read(call, idOf(call))
      return {
        ...{ title, body, version, tags: record.tags.map(({ name }) => name) },
        ...{ category: record.category_slug, lecture: record.lecture_position },
      }
    },
    ...answered('one', 'questions', questionKind),
  }),
  deletion('questions', 'deleteQuestion'),

  writing({
    ...{ method: 'POST', path: '/questions/:id/answers', name: 'createAnswer', tag: 'answers' },
    ...{ operation: postAnswer, key: idOf },
    body: { fields: { ...postAnswer.input, ...naming }, required: ['body'] },
    ...answered('created', 'answers', answerKind),
  }),
  textEdit('answers', 'editAnswer', answerKind),
  deletion('answers', 'deleteAnswer'),

  writing({
    ...{ ...replying, path: '/questions/:id/replies', name: 'replyToQuestion' },
    operation: replyToQuestion,
  }),
  writing({ ...replying, path: '/answers/:id/replies', name: 'replyToAnswer', operation: replyToAnswer }),
  textEdit('replies', 'editReply', replyKind),
  deletion('replies', 'deleteReply'),
]

function deletion(tag: PostTable, name: string): Endpoint {
  const operation = REMOVALS[tag].deletion
  return writing({
    method: 'DELETE',
    path: `/${tag}/:id`,
    name,
    tag,
    operation,
    key: idOf,
    input: () => ({}),
  })
}

/** Changing an answer, or a reply: the fields that are left out stay. */
function textEdit<Post extends PostRecord>(
  tag: 'answers' | 'replies',
  name: string,
  kind: PostKind<Post>,
): Endpoint {
  const operation = TEXT_EDITS[tag]
  const { body: text, reason: why } = operation.input
  return writing({
    ...{ method: 'PATCH', path: `/${tag}/:id`, name, tag, operation, key: idOf },
    body: { fields: { body: text, ...renaming, reason: why }, required: [] },
    async present(call) {
      const { body, version } = await kind.read(call, idOf(call))
      return { body, version }
    },
    ...answered('one', tag, kind),
  })
}

/** With the post as it is then. */
function answered<Post extends PostRecord>(kind: 'created' | 'one', table: PostTable, post: PostKind<Post>) {
  return {
    answer: { kind, schema: post.schema },
    pathOf: ({ id }: { readonly id: number }) => `/${table}/${id}`,
    done: (call: Call, id: number) => readPost(call, id, post),
  }
}
