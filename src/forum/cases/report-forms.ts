import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type FormState, sentFields } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { languageOfRequest } from '../../web/language.ts'
import { idParam } from '../../web/params.ts'
import type { questionOf } from '../posts/find.ts'
import { KINDS, TABLES } from '../posts/kinds.ts'
import { casePath } from './queue-page.ts'
import type { ReportOutcome } from './report.ts'
import { OPENINGS, personCase, personReport, REPORTS } from './report-operations.ts'
import { reportPath, showReport } from './report-page.ts'
import { FOLDERS, type Subject } from './subject.ts'

const SUBJECT_KINDS = ['question', 'answer', 'reply', 'person'] as const

export function registerReports(app: FastifyInstance): void {
  for (const about of SUBJECT_KINDS) {
    const path = `/${FOLDERS[about]}/:id/reports`
    const subjectOf = (request: FastifyRequest): Subject => ({ about, id: idParam(request, 'id') })
    app.get(path, async (request, reply) => showReport(request, reply, subjectOf(request)))
    const door = {
      actor: ({ person }: FastifyRequest) => person,
      formPage: (request: FastifyRequest) => reportPath(subjectOf(request)),
      input: (request: FastifyRequest) => ({
        ...sentFields(request.body),
        language: languageOfRequest(request),
        person: String(idParam(request, 'id')),
      }),
      done: ({ question }: Reported, request: FastifyRequest) => pathOf(subjectOf(request), question),
      flash: (request: FastifyRequest, reported: Reported | null) => flashOf(request, reported),
      refused: async (request: FastifyRequest, reply: Parameters<typeof showReport>[1], form: FormState) =>
        showReport(request, reply, subjectOf(request), { form }),
    }
    if (about === 'person') openForm(app, path, personReport, { key: () => null, ...door })
    else openForm(app, path, REPORTS[TABLES[about]], { key: (request) => idParam(request, 'id'), ...door })
  }
}

interface Reported {
  readonly outcome: ReportOutcome
  /** null: a person was reported. */
  readonly question: ReturnType<typeof questionOf> | null
}

function pathOf({ about, id }: Subject, question: Reported['question']): string {
  if (question === null || about === 'person') return `/people/${id}`
  return KINDS[TABLES[about]].path(question, id)
}

function flashOf({ person }: FastifyRequest, reported: Reported | null): string {
  const kind = reported?.outcome ?? 'sent'
  return kind === 'sent' && person === null ? 'reports.flash.sentByVisitor' : `reports.flash.${kind}`
}

interface Opened {
  readonly caseId: number
  readonly isTheirs: boolean
  /** null: about a profile. */
  readonly question: ReturnType<typeof questionOf> | null
}

export function registerOpenings(app: FastifyInstance): void {
  for (const about of SUBJECT_KINDS) {
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
      openForm(app, path, OPENINGS[TABLES[about]], { key: (request) => idParam(request, 'id'), ...door })
    else
      openForm(app, path, personCase, {
        key: () => null,
        input: (request) => ({ ...sentFields(request.body), person: String(idParam(request, 'id')) }),
        ...door,
      })
  }
}
