import type { FastifyInstance, FastifyRequest } from 'fastify'
import { typedFields } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { idParam } from '../../web/params.ts'
import { replyPath } from '../../web/paths.ts'
import { endsDraft } from '../drafts/typed.ts'
import { findAnswer } from '../posts/find.ts'
import { saidOfPost } from '../posts/mentions.ts'
import { registerTextEditing } from '../posts/text-edit.ts'
import { answerReplyPage } from '../reading/answer-page.ts'
import { readableTree, showQuestion } from '../reading/show.ts'
import { replyToAnswer, replyToQuestion } from './operations.ts'

const key = (request: FastifyRequest) => idParam(request, 'id')
const isResolving = ({ body }: FastifyRequest) => typedFields(body).resolve === '1'
const flash = (request: FastifyRequest, done: { readonly id: number; readonly isHeld: boolean } | null) =>
  saidOfPost(request, 'replies', done, `replies.flash.${isResolving(request) ? 'resolved' : 'posted'}`)

export function registerReplies(app: FastifyInstance): void {
  openForm(app, '/questions/:id/replies', replyToQuestion, {
    key,
    formPage: (request) => `/questions/${key(request)}?form=reply-question#reply-question`,
    keeps: true,
    also: endsDraft((request) => `/questions/${key(request)}/replies`),
    done: ({ id, question }) => replyPath(question, id),
    flash,
    async refused(request, reply, form) {
      const tree = await readableTree(request, key(request))
      return showQuestion(request, reply, tree, { id: 'reply-question', form })
    },
  })
  openForm(app, '/answers/:id/replies', replyToAnswer, {
    key,
    formPage: answerReplyPage,
    keeps: true,
    also: endsDraft((request) => `/answers/${key(request)}/replies`),
    done: ({ id, question }) => replyPath(question, id),
    flash,
    async refused(request, reply, form) {
      const answer = await findAnswer(app.db, request.person, key(request), 'reply')
      const tree = await readableTree(request, answer.questionId)
      return showQuestion(request, reply, tree, { id: `reply-answer-${answer.id}`, form })
    },
  })
  registerTextEditing(app, 'replies')
}
