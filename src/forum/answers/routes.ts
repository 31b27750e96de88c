import type { FastifyInstance, FastifyRequest } from 'fastify'
import { openForm } from '../../web/forms/door.ts'
import { idParam } from '../../web/params.ts'
import { answerPath, backPath } from '../../web/paths.ts'
import { endsDraft } from '../drafts/typed.ts'
import { findAnswer, type questionOf } from '../posts/find.ts'
import { POST_BODY } from '../posts/form.ts'
import { saidOfPost } from '../posts/mentions.ts'
import { answerPage, registerAnswerPage } from '../questions/answer-page.ts'
import { editAnswer } from '../questions/edit-operations.ts'
import { readableTree, showQuestion } from '../questions/show.ts'
import { registerTextEditing } from '../questions/text-edit.ts'
import { answerAcceptance, answerEndorsement, postAnswer } from './operations.ts'

const key = (request: FastifyRequest) => idParam(request, 'id')
const pathOf = ({
  id,
  question,
}: {
  readonly id: number
  readonly question: ReturnType<typeof questionOf>
}) => answerPath(question, id)

/** Posting, editing, deleting, restoring, accepting and endorsing answers. */
export function registerAnswers(app: FastifyInstance): void {
  registerAnswerPage(app)
  openForm(app, '/questions/:id/answers', postAnswer, {
    key,
    formPage: (request) => `/questions/${key(request)}?form=answer#answer`,
    keeps: true,
    also: endsDraft((request) => `/questions/${key(request)}/answers`),
    done: pathOf,
    flash: (request, done) => saidOfPost(request, 'answers', done?.id, 'answers.flash.posted'),
    refused: async (request, reply, form) =>
      showQuestion(request, reply, await readableTree(request, key(request)), { id: 'answer', form }, 422),
  })
  registerTextEditing(app, {
    table: 'answers',
    find: findAnswer,
    edit: editAnswer,
    max: POST_BODY.max,
    path: pathOf,
  })
  openForm(app, '/answers/:id/acceptance', answerAcceptance, {
    key,
    formPage: answerPage,
    done: pathOf,
    flash: (_, done) => (done?.isAccepted === true ? 'answers.flash.accepted' : 'answers.flash.unaccepted'),
  })
  openForm(app, '/answers/:id/endorsement', answerEndorsement, {
    key,
    formPage: answerPage,
    done: (done, request) => backPath(request, pathOf(done)),
    flash: (_, done) => (done?.isEndorsed === true ? 'answers.flash.endorsed' : 'answers.flash.unendorsed'),
  })
}
