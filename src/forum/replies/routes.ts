import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { noteEvent } from '../../audit-log/note.ts'
import { postOnce } from '../../database/posted-once.ts'
import { requireRight } from '../../operations/require-right.ts'
import { may } from '../../rights/rights.ts'
import { typedFields } from '../../web/form.ts'
import { countNewcomer, parsePost } from '../../web/limits/newcomers.ts'
import { onceOf } from '../../web/once.ts'
import { idParam } from '../../web/params.ts'
import { questionPath, replyPath } from '../../web/paths.ts'
import { endDraft } from '../drafts/commands.ts'
import { answerReplyPage } from '../questions/answer-page.ts'
import { findAnswer, findQuestion, findReply, type Post, questionOf } from '../questions/find.ts'
import { REPLY_BODY } from '../questions/form.ts'
import { permittedName } from '../questions/permitted-name.ts'
import { reopen, resolveIn } from '../questions/resolution.ts'
import { readableTree, showQuestion } from '../questions/show.ts'
import { saveTextEdit, showTextEdit, type TextKind } from '../questions/text-edit.ts'
import { deleteReply, postReply, restoreReply } from './commands.ts'
import { replyEditForm, replyForm } from './form.ts'

const pathOf = (reply: Post) => replyPath(questionOf(reply), reply.id)
const kind: TextKind = {
  table: 'replies',
  form: replyEditForm,
  max: REPLY_BODY.max,
  path: pathOf,
}

/** Posting, editing, deleting and restoring replies, under answers and under questions. */
export function registerReplies(app: FastifyInstance): void {
  const underQuestion = (request: FastifyRequest) =>
    `/questions/${idParam(request, 'id')}?form=reply-question#reply-question`
  app.post(
    '/questions/:id/replies',
    { config: { limit: 'posting', needsPerson: true, formPage: underQuestion, keeps: replyForm.names } },
    async (request, reply) => {
      const question = await findQuestion(app.db, request.requirePerson(), idParam(request, 'id'), 'reply')
      return post(request, reply, question, null)
    },
  )
  app.post(
    '/answers/:id/replies',
    { config: { limit: 'posting', needsPerson: true, formPage: answerReplyPage, keeps: replyForm.names } },
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
  const keeps = [...replyEditForm.names, 'version']
  app.post(
    '/replies/:id/edit',
    { config: { limit: 'posting', needsPerson: true, formPage: editPage, keeps } },
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
      await deleteReply(app.db, found.questionId, found.id, person.id)
      noteEvent(request, 'post-deleted', { kind: 'reply', id: found.id, authorId: found.authorId })
      return reply
        .flash('replies.flash.deleted', `/replies/${found.id}/restoration`)
        .redirect(questionPath(questionOf(found)), 303)
    },
  )

  app.post(
    '/replies/:id/restoration',
    { config: { limit: 'posting', needsPerson: true } },
    async (request, reply) => {
      const person = request.requirePerson()
      const found = await findReply(app.db, person, idParam(request, 'id'), 'restore')
      const { id, authorId } = found
      const title = await restoreReply(app.db, found.questionId, id)
      noteEvent(request, 'post-restored', { kind: 'reply', id, authorId })
      return reply.flash('replies.flash.restored').redirect(pathOf({ ...found, title }), 303)
    },
  )
}

async function post(request: FastifyRequest, reply: FastifyReply, parent: Post, answerId: number | null) {
  const { db } = request.server
  const person = request.requirePerson()
  const form = await permittedName(request, parent, parsePost(request, replyForm))
  if (!form.ok) {
    const open = { id: answerId === null ? 'reply-question' : `reply-answer-${answerId}`, form }
    return showQuestion(request, reply, await readableTree(request, parent.questionId), open, 422)
  }
  const reopens = typedFields(request.body).reopen === '1' && may(person, 'resolve', parent)
  const isResolved = form.values.resolve
  if (isResolved) requireRight(person, 'resolve', parent)
  const path = await postOnce(db, onceOf(request, person.id), async (write) => {
    const { questionId } = parent
    const { body, anonymous: isAnonymous } = form.values
    const id = await postReply(write, { questionId, answerId, authorId: person.id, body, isAnonymous })
    if (reopens) await reopen(write, questionId)
    if (isResolved) await resolveIn(write, questionId)
    await countNewcomer(request, write, parent.courseId)
    const place = answerId === null ? `/questions/${questionId}/replies` : `/answers/${answerId}/replies`
    await endDraft(write, person.id, place)
    return replyPath(questionOf(parent), id)
  })
  return reply.flash(`replies.flash.${isResolved ? 'resolved' : 'posted'}`).redirect(path, 303)
}
