import type { FastifyInstance } from 'fastify'
import { noteEvent } from '../../audit-log/note.ts'
import { backPath } from '../../web/back.ts'
import { idParam } from '../../web/params.ts'
import { answerPath } from '../../web/paths.ts'
import { answerPage } from '../questions/answer-page.ts'
import { findAnswer } from '../questions/find.ts'
import { isYes } from '../votes/form.ts'
import { setEndorsement } from './endorsement.ts'

/** Saying that an answer is correct, and taking it back: staff's verdict, beside the asker's acceptance. */
export function registerEndorsement(app: FastifyInstance): void {
  app.post(
    '/answers/:id/endorsement',
    { config: { limit: 'voting', needsPerson: true, formPage: answerPage } },
    async (request, reply) => {
      const person = request.requirePerson()
      const answer = await findAnswer(app.db, person, idParam(request, 'id'), 'endorse')
      const isEndorsed = isYes(request)
      await setEndorsement(app.db, answer.questionId, answer.id, isEndorsed ? person.id : null)
      noteEvent(request, 'staff-decided', {
        act: isEndorsed ? 'endorse' : 'unendorse',
        questionId: answer.questionId,
        answerId: answer.id,
      })
      const path = answerPath({ id: answer.questionId, title: answer.title }, answer.id)
      return reply
        .flash(isEndorsed ? 'answers.flash.endorsed' : 'answers.flash.unendorsed')
        .redirect(backPath(request, path), 303)
    },
  )
}
