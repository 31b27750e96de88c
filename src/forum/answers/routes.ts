import type { FastifyInstance, FastifyRequest } from 'fastify'
import { noteEvent } from '../../audit-log/note.ts'
import { postOnce } from '../../database/posted-once.ts'
import { countNewcomer, parsePost } from '../../web/limits/newcomers.ts'
import { onceOf } from '../../web/once.ts'
import { idParam } from '../../web/params.ts'
import { answerPath, questionPath } from '../../web/paths.ts'
import { endDraft } from '../drafts/commands.ts'
import { answerPage, registerAnswerPage } from '../questions/answer-page.ts'
import { findAnswer, findQuestion, type Post, questionOf } from '../questions/find.ts'
import { POST_BODY } from '../questions/form.ts'
import { permittedName } from '../questions/permitted-name.ts'
import { readableTree, showQuestion } from '../questions/show.ts'
import { saveTextEdit, showTextEdit, type TextKind } from '../questions/text-edit.ts'
import { isYes } from '../votes/form.ts'
import { setAcceptance } from './acceptance.ts'
import { deleteAnswer, postAnswer, restoreAnswer } from './commands.ts'
import { answerEditForm, answerForm } from './form.ts'

const pathOf = (answer: Post) => answerPath(questionOf(answer), answer.id)
const kind: TextKind = {
  table: 'answers',
  form: answerEditForm,
  max: POST_BODY.max,
  path: pathOf,
}

/** Posting, editing, deleting, restoring and accepting answers. */
export function registerAnswers(app: FastifyInstance): void {
  registerAnswerPage(app)
  const formPage = (request: FastifyRequest) => `/questions/${idParam(request, 'id')}?form=answer#answer`
  app.post(
    '/questions/:id/answers',
    { config: { limit: 'posting', needsPerson: true, formPage, keeps: answerForm.names } },
    async (request, reply) => {
      const person = request.requirePerson()
      const question = await findQuestion(app.db, person, idParam(request, 'id'), 'answer')
      const form = await permittedName(request, question, parsePost(request, answerForm))
      if (!form.ok)
        return showQuestion(
          request,
          reply,
          await readableTree(request, question.id),
          { id: 'answer', form },
          422,
        )
      const path = await postOnce(app.db, onceOf(request, person.id), async (write) => {
        const { body, anonymous: isAnonymous } = form.values
        const answer = { questionId: question.id, authorId: person.id, body, isAnonymous }
        const id = await postAnswer(write, answer)
        await countNewcomer(request, write, question.courseId)
        await endDraft(write, person.id, `/questions/${question.id}/answers`)
        return answerPath(question, id)
      })
      return reply.flash('answers.flash.posted').redirect(path, 303)
    },
  )

  app.get('/answers/:id/edit', async (request, reply) => {
    const answer = await findAnswer(app.db, request.requirePerson(), idParam(request, 'id'), 'edit')
    return showTextEdit(request, reply, kind, answer)
  })
  const editPage = (request: FastifyRequest) => `/answers/${idParam(request, 'id')}/edit`
  const keeps = [...answerEditForm.names, 'version']
  app.post(
    '/answers/:id/edit',
    { config: { limit: 'posting', needsPerson: true, formPage: editPage, keeps } },
    async (request, reply) => {
      const answer = await findAnswer(app.db, request.requirePerson(), idParam(request, 'id'), 'edit')
      return saveTextEdit(request, reply, kind, answer)
    },
  )

  app.post(
    '/answers/:id/delete',
    { config: { limit: 'posting', needsPerson: true } },
    async (request, reply) => {
      const person = request.requirePerson()
      const answer = await findAnswer(app.db, person, idParam(request, 'id'), 'delete')
      await deleteAnswer(app.db, answer.questionId, answer.id, person.id)
      noteEvent(request, 'post-deleted', { kind: 'answer', id: answer.id, authorId: answer.authorId })
      return reply
        .flash('answers.flash.deleted', `/answers/${answer.id}/restoration`)
        .redirect(questionPath(questionOf(answer)), 303)
    },
  )

  app.post(
    '/answers/:id/restoration',
    { config: { limit: 'posting', needsPerson: true, formPage: answerPage } },
    async (request, reply) => {
      const person = request.requirePerson()
      const answer = await findAnswer(app.db, person, idParam(request, 'id'), 'restore')
      const { id, authorId } = answer
      const title = await restoreAnswer(app.db, answer.questionId, id)
      noteEvent(request, 'post-restored', { kind: 'answer', id, authorId })
      return reply.flash('answers.flash.restored').redirect(pathOf({ ...answer, title }), 303)
    },
  )

  app.post(
    '/answers/:id/acceptance',
    { config: { limit: 'voting', needsPerson: true, formPage: answerPage } },
    async (request, reply) => {
      const person = request.requirePerson()
      const answer = await findAnswer(app.db, person, idParam(request, 'id'), 'accept')
      const isAccepted = isYes(request)
      await setAcceptance(app.db, answer.questionId, answer.id, isAccepted, person.id)
      return reply
        .flash(isAccepted ? 'answers.flash.accepted' : 'answers.flash.unaccepted')
        .redirect(pathOf(answer), 303)
    },
  )
}
