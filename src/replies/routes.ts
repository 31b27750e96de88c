import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { postOnce } from '../database/posted-once.ts'
import { noteEvent } from '../events/note.ts'
import { countNewcomer, parsePost } from '../limits/newcomers.ts'
import { answerReplyPage } from '../questions/answer-page.ts'
import { findAnswer, findQuestion, findReply, type Post } from '../questions/find.ts'
import { readableTree, showQuestion } from '../questions/show.ts'
import { saveTextEdit, showTextEdit, type TextKind } from '../questions/text-edit.ts'
import { onceOf } from '../web/once.ts'
import { idParam } from '../web/params.ts'
import { questionPath, replyPath } from '../web/paths.ts'
import { deleteReply, postReply } from './commands.ts'
import { replyForm } from './form.ts'

const pathOf = (reply: Post) => replyPath({ id: reply.questionId, title: reply.title }, reply.id)
const kind: TextKind = { table: 'replies', form: replyForm, path: pathOf }

/** Posting, editing and deleting replies, under answers and under questions. */
export function registerReplies(app: FastifyInstance): void {
  const underQuestion = (request: FastifyRequest) =>
    `/questions/${idParam(request, 'id')}?form=reply-question#reply-question`
  app.post(
    '/questions/:id/replies',
    { config: { limit: 'posting', needsPerson: true, formPage: underQuestion } },
    async (request, reply) => {
      const question = await findQuestion(app.db, request.requirePerson(), idParam(request, 'id'), 'reply')
      return post(request, reply, question, null)
    },
  )
  app.post(
    '/answers/:id/replies',
    { config: { limit: 'posting', needsPerson: true, formPage: answerReplyPage } },
    async (request, reply) => {
      const answer = await findAnswer(app.db, request.requirePerson(), idParam(request, 'id'), 'reply')
      return post(request, reply, answer, answer.id)
    },
  )

  app.get('/replies/:id/edit', async (request, reply) => {
    const found = await findReply(app.db, request.requirePerson(), idParam(request, 'id'), 'edit')
    return showTextEdit(request, reply, kind, found)
  })
  const editPage = (request: FastifyRequest) => `/replies/${idParam(request, 'id')}/edit`
  app.post(
    '/replies/:id/edit',
    { config: { limit: 'posting', needsPerson: true, formPage: editPage } },
    async (request, reply) => {
      const found = await findReply(app.db, request.requirePerson(), idParam(request, 'id'), 'edit')
      return saveTextEdit(request, reply, kind, found)
    },
  )

  app.post(
    '/replies/:id/delete',
    { config: { limit: 'posting', needsPerson: true } },
    async (request, reply) => {
      const person = request.requirePerson()
      const found = await findReply(app.db, person, idParam(request, 'id'), 'delete')
      await deleteReply(app.db, found.questionId, found.id)
      noteEvent(request, 'post-deleted', { kind: 'reply', id: found.id, authorId: found.authorId })
      return reply
        .flash('replies.flash.deleted')
        .redirect(questionPath({ id: found.questionId, title: found.title }), 303)
    },
  )
}

async function post(request: FastifyRequest, reply: FastifyReply, parent: Post, answerId: number | null) {
  const { db } = request.server
  const person = request.requirePerson()
  const form = parsePost(request, replyForm)
  if (!form.ok) {
    const open = { id: answerId === null ? 'reply-question' : `reply-answer-${answerId}`, form }
    return showQuestion(request, reply, await readableTree(request, parent.questionId), open, 422)
  }
  await countNewcomer(request, parent.courseId)
  const path = await postOnce(db, onceOf(request, person.id), async (write) => {
    const { questionId } = parent
    const id = await postReply(write, { questionId, answerId, authorId: person.id, body: form.values.body })
    return replyPath({ id: questionId, title: parent.title }, id)
  })
  return reply.flash('replies.flash.posted').redirect(path, 303)
}
