import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type FormState, sentFields } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { idParam } from '../../web/params.ts'
import type { questionOf } from '../posts/find.ts'
import { answerCase, personCase, questionCase, replyCase } from './opening-operations.ts'
import { casePath } from './queue-page.ts'
import { pathOf } from './report-forms.ts'
import { reportPath, showReport } from './report-page.ts'
import { FOLDERS, type Subject } from './subject.ts'

const OPERATIONS = { question: questionCase, answer: answerCase, reply: replyCase } as const

interface Opened {
  readonly caseId: number
  readonly isTheirs: boolean
  /** null: about a profile. */
  readonly question: ReturnType<typeof questionOf> | null
}

/** Opening a case about a post or a profile that no one reported, for staff. */
export function registerOpenings(app: FastifyInstance): void {
  for (const about of ['question', 'answer', 'reply', 'person'] as const) {
    const path = `/${FOLDERS[about]}/:id/cases`
    const subjectOf = (request: FastifyRequest): Subject => ({ about, id: idParam(request, 'id') })
    app.get(path, async (request, reply) => {
      request.requirePerson()
      return showReport(request, reply, subjectOf(request), { act: 'open-case' })
    })
    const door = {
      formPage: (request: FastifyRequest) => reportPath(subjectOf(request), 'open-case'),
      done: ({ caseId, isTheirs, question }: Opened, request: FastifyRequest) =>
        isTheirs ? casePath(caseId) : pathOf(subjectOf(request), question),
      flash: (_request: FastifyRequest, opened: Opened | null) =>
        opened?.isTheirs === false ? 'reports.flash.openedForOthers' : 'reports.flash.opened',
      refused: async (request: FastifyRequest, reply: FastifyReply, form: FormState) =>
        showReport(request, reply, subjectOf(request), { form, act: 'open-case' }),
    }
    if (about !== 'person')
      openForm(app, path, OPERATIONS[about], { key: (request) => idParam(request, 'id'), ...door })
    else
      openForm(app, path, personCase, {
        key: () => null,
        input: (request) => ({ ...sentFields(request.body), person: String(idParam(request, 'id')) }),
        ...door,
      })
  }
}
