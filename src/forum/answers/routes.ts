import type { FastifyInstance, FastifyRequest } from 'fastify'
import { openForm } from '../../web/forms/door.ts'
import { idParam } from '../../web/params.ts'
import { answerPath } from '../../web/paths.ts'
import { endsDraft } from '../drafts/typed.ts'
import { saidOfPost } from '../posts/mentions.ts'
import { registerTextEditing } from '../posts/text-edit.ts'
import { registerAnswerPage } from '../reading/answer-page.ts'
import { readableTree, showQuestion } from '../reading/show.ts'
import { postAnswer } from './operations.ts'
import { askAboutCode } from './solution-code.ts'

const key = (request: FastifyRequest) => idParam(request, 'id')

export function registerAnswers(app: FastifyInstance): void {
  registerAnswerPage(app)
  openForm(app, '/questions/:id/answers', postAnswer, {
    key,
    formPage: (request) => `/questions/${key(request)}?form=answer#answer`,
    keeps: true,
    instead: askAboutCode,
    also: endsDraft((request) => `/questions/${key(request)}/answers`),
    done: ({ id, question }) => answerPath(question, id),
    flash: (request, done) => saidOfPost(request, 'answers', done, 'answers.flash.posted'),
    refused: async (request, reply, form) =>
      showQuestion(request, reply, await readableTree(request, key(request)), { id: 'answer', form }),
  })
  registerTextEditing(app, 'answers')
}
