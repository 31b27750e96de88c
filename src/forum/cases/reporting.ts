import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { email } from '../../accounts/identity/fields.ts'
import { REPORT_REASONS, type ReportReason, type Write } from '../../database/schema.ts'
import { enqueue } from '../../jobs/table.ts'
import { type Doer, OPERATOR, personOf } from '../../kernel/actor.ts'
import { choice, line, optional, text } from '../../kernel/fields.ts'
import { type Doing, forum, operation } from '../../kernel/operation.ts'
import { notFound, refusal } from '../../kernel/problem.ts'
import { LANGUAGES } from '../../messages/language.ts'
import { type FormState, sentFields } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { languageOfRequest } from '../../web/language.ts'
import { idParam } from '../../web/params.ts'
import { mayHandle } from '../handling/handlers.ts'
import { questionOf } from '../posts/find.ts'
import { KINDS, ofEachKind, type PostTable, TABLES } from '../posts/kinds.ts'
import { SUBJECTS } from '../posts/lock.ts'
import { handledOf, selectCase } from './find.ts'
import { LETTERS_OF_CASES, letterKey } from './letters.ts'
import { openCase } from './open-case.ts'
import { casePath } from './pages/queue-page.ts'
import { reportPath, showReport } from './pages/report-page.ts'
import { isFirstOfAddress, otherPerson, type Reporter, type ReportOutcome, report, textOf } from './report.ts'
import { FOLDERS, type Subject } from './subject.ts'

const reason = choice(REPORT_REASONS, 'reports.form.noReason')
const input = {
  reason,
  note: text({ min: 0, max: 2000 }),
  /** Only for visitors. */
  name: line({ min: 0, max: 50 }),
  email: optional(email()),
  /** The language of the page, for letters to a visitor. */
  language: choice(LANGUAGES),
}

function reportOf(table: PostTable) {
  const about = KINDS[table].kind
  return operation({
    name: `report-${about}`,
    right: 'report',
    find: SUBJECTS[table],
    limit: 'reporting',
    once: true,
    input,
    run: async ({ write, actor, subject, input }) => ({
      outcome: await send(write, actor, { about, id: subject.id }, input),
      question: questionOf(subject),
    }),
  })
}

export const REPORTS = ofEachKind(reportOf)

/** Reports a profile, to the admins. */
const personReport = operation({
  name: 'report-person',
  right: 'visit',
  find: forum,
  limit: 'reporting',
  once: true,
  input: { ...input, person: line({ min: 1, max: 15 }) },
  async run({ write, actor, input }) {
    const person = await otherPerson(write, actor === OPERATOR ? null : actor, input.person)
    return { outcome: await send(write, actor, person, input), question: null }
  },
})

async function send(write: Write, actor: Doer, subject: Subject, form: z.output<z.ZodObject<typeof input>>) {
  if (form.reason === 'other' && form.note === '') throw refusal('note', 'reports.form.noteMissing')
  const reporter: Reporter =
    actor === null || actor === OPERATOR
      ? { personId: null, name: form.name, email: form.email, language: form.language }
      : { personId: actor.id, language: form.language }
  const { outcome, reportId } = await report(write, reporter, subject, await textOf(write, subject), form)
  if (reportId !== null && (await isFirstOfAddress(write, reportId)))
    await enqueue(write, LETTERS_OF_CASES, letterKey('receipt', reportId))
  return outcome
}

function openingOf(table: PostTable) {
  const about = KINDS[table].kind
  return operation({
    name: `open-case-of-${about}`,
    right: 'open-case',
    find: SUBJECTS[table],
    once: true,
    input: { reason },
    events: ['moderated'],
    run: async ({ write, actor, subject, input, note }) => ({
      ...(await open(write, actor, { about, id: subject.id }, input.reason, note)),
      question: questionOf(subject),
    }),
  })
}

const OPENINGS = ofEachKind(openingOf)

const personCase = operation({
  name: 'open-case-of-person',
  right: 'moderate-forum',
  find: forum,
  once: true,
  input: { reason, person: line({ min: 1, max: 15 }) },
  events: ['moderated'],
  async run({ write, actor, input, note }) {
    const person = await otherPerson(write, personOf(actor), input.person)
    return { ...(await open(write, actor, person, input.reason, note)), question: null }
  },
})

/** Opens the case, or finds the one that waits. @returns isTheirs whether who opened it may handle it as well */
async function open(
  write: Write,
  actor: Doer,
  subject: Subject,
  why: ReportReason,
  note: Doing<unknown, null, 'moderated'>['note'],
) {
  const [actorId, text] = [personOf(actor).id, await textOf(write, subject)]
  const { id, isNew } = await openCase(write, { subject, text, reason: why, openedBy: actorId, actorId })
  const matter = await selectCase(write, id)
  if (matter === null) throw notFound()
  const courseId = matter.is_for_admins ? null : matter.course_id
  if (isNew) note('moderated', { act: 'open', caseId: id, courseId })
  return { caseId: id, isTheirs: actor !== OPERATOR && mayHandle(actor, handledOf(matter)) }
}

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
  /** null: it is about a person. */
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

type Opened = Awaited<ReturnType<typeof open>> & Pick<Reported, 'question'>

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
