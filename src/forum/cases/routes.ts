import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { notFound, Problem } from '../../kernel/problem.ts'
import { type FormState, sentFields } from '../../web/form.ts'
import { openForm, type Said } from '../../web/forms/door.ts'
import { idParam } from '../../web/params.ts'
import { courseFor } from '../courses/find-course.ts'
import { caseClaim, caseHandover } from './claims.ts'
import { CaseChanged, caseDecision } from './decision.ts'
import { measureEnd, objection, objectionAnswer, objectionHandover } from './endings.ts'
import { caseOfMeasure, measuresOfCase } from './find.ts'
import { registerHeld } from './held.ts'
import { isRemoval } from './measures.ts'
import { showCase } from './pages/case-page.ts'
import { decisionSent, type QuickDecision, quickOf, type SentToCase } from './pages/decide-view.ts'
import { registerOwnReports } from './pages/own-report-page.ts'
import { registerPersonActs } from './pages/person-act-page.ts'
import { casePath, queuePath, showQueue } from './pages/queue-page.ts'
import { registerReports } from './pages/report-page.ts'
import { registerSpammer } from './pages/spammer-page.ts'
import { STANDING, showStanding } from './pages/standing-page.ts'
import { caseOfReport, outcomeObjectionAnswer, outcomeObjectionHandover } from './report-objection.ts'
import { caseRedaction } from './retention.ts'

export function registerCases(app: FastifyInstance): void {
  app.get('/moderation', (request, reply) => showQueue(request, reply, null))
  app.get('/courses/:course/moderation', async (request, reply) =>
    showQueue(request, reply, await courseFor(request, 'moderate')),
  )
  app.get('/cases/:id', (request, reply) => showCase(request, reply, idOf(request)))
  app.get(STANDING, (request, reply) => showStanding(request, reply))
  registerReports(app)
  registerOwnReports(app)
  registerPersonActs(app)
  registerSpammer(app)
  registerHeld(app)
  registerCaseForms(app)
  registerMeasureForms(app)
}

const idOf = (request: FastifyRequest) => idParam(request, 'id')
const pageOf = (request: FastifyRequest) => casePath(idOf(request))

/** Answers 404 for cases that the viewer may not handle, unless only their second factor is missing. */
function hiddenFrom({ person }: FastifyRequest, _reply: FastifyReply, error: unknown): null {
  if (error instanceof Problem && error.key === 'forbidden' && person?.owesSecondFactor !== true)
    throw notFound()
  return null
}

/**
 * The case again, with what was typed: where it can't be taken so, or someone else was faster.
 * @param caseOf the case of what the address names; left out: it names the case
 */
function shownAgain(of: SentToCase['of'], caseOf?: (db: Database, id: number) => Promise<number>) {
  async function show(request: FastifyRequest, reply: FastifyReply, form: FormState, isConflict: boolean) {
    const id = idOf(request)
    return showCase(request, reply, (await caseOf?.(request.server.db, id)) ?? id, {
      ...{ of, isConflict, partId: caseOf === undefined ? null : id },
      form: of === 'decision' ? withMeasures(request, form) : form,
    })
  }
  return {
    refused: (request: FastifyRequest, reply: FastifyReply, form: FormState) =>
      show(request, reply, form, false),
    failed: (request: FastifyRequest, reply: FastifyReply, error: unknown, form: FormState) =>
      error instanceof CaseChanged ? show(request, reply, form, true) : hiddenFrom(request, reply, error),
  }
}

function registerCaseForms(app: FastifyInstance): void {
  openForm(app, '/cases/:id/claim', caseClaim, {
    key: idOf,
    formPage: pageOf,
    done: ({ id }) => casePath(id),
    flash: (_request, outcome) =>
      outcome?.isRefused === true
        ? 'cases.flash.notClaimed'
        : outcome?.isClaimed === true
          ? 'cases.flash.claimed'
          : 'cases.flash.released',
    // A script says it while the page is open: public/js/handle.js.
    shown: (request, reply, { isRefused }) =>
      request.headers.accept === 'application/json' ? reply.code(isRefused ? 409 : 204).send() : null,
    failed: hiddenFrom,
  })
  openForm(app, '/cases/:id/decision', caseDecision, {
    key: idOf,
    formPage: pageOf,
    keeps: true,
    input: ({ body }) => decisionSent(body),
    done: ({ id, queueOf }, { body }) => (quickOf(body) === null ? casePath(id) : queuePath(queueOf)),
    flash: ({ server, body }, outcome) => decidedFlash(server.db, quickOf(body), outcome?.id ?? null),
    ...shownAgain('decision'),
  })
  openForm(app, '/cases/:id/handover', caseHandover, {
    key: idOf,
    formPage: pageOf,
    keeps: true,
    done: ({ id, isToAdmins }, request) =>
      isToAdmins && request.person?.isAdmin !== true ? '/desk' : casePath(id),
    flash: () => 'cases.flash.handed',
    ...shownAgain('handover'),
  })
  openForm(app, '/cases/:id/redaction', caseRedaction, {
    key: () => null,
    input: (request) => ({ ...sentFields(request.body), case: String(idOf(request)) }),
    formPage: pageOf,
    done: ({ id }) => casePath(id),
    flash: () => 'cases.flash.redacted',
    refused: shownAgain('redaction').refused,
  })
}

/** Says what a decision did; what it hid or deleted can be undone at once. @param caseId null: it came before */
async function decidedFlash(db: Database, quick: QuickDecision | null, caseId: number | null): Promise<Said> {
  const measures = caseId === null ? [] : await measuresOfCase(db, caseId)
  const undone = measures.find(isRemoval)
  return {
    said: quick === null ? 'cases.flash.decided' : `cases.flash.${quick}`,
    act: undone === undefined ? undefined : `/measures/${undone.id}/end`,
  }
}

const ofReport = (db: Database, id: number) => caseOfReport(db, sql<boolean>`reports.id = ${id}`)

function registerMeasureForms(app: FastifyInstance): void {
  openForm(app, '/measures/:id/end', measureEnd, {
    key: idOf,
    keeps: true,
    done: ({ id }) => casePath(id),
    flash: () => 'cases.flash.lifted',
    ...shownAgain('lifting', caseOfMeasure),
  })
  openForm(app, '/measures/:id/objection/answer', objectionAnswer, {
    key: idOf,
    keeps: ['note'],
    done: ({ id }) => casePath(id),
    flash: () => 'cases.flash.answered',
    ...shownAgain('objection', caseOfMeasure),
  })
  openForm(app, '/measures/:id/objection/handover', objectionHandover, {
    key: idOf,
    done: ({ id, course }, request) => (request.person?.isAdmin === true ? casePath(id) : queuePath(course)),
    flash: () => 'cases.flash.handed',
    ...shownAgain('passing', caseOfMeasure),
  })
  openForm(app, '/reports/:id/objection/answer', outcomeObjectionAnswer, {
    key: idOf,
    keeps: ['note'],
    done: ({ id }) => casePath(id),
    flash: () => 'cases.flash.answered',
    ...shownAgain('reply', ofReport),
  })
  openForm(app, '/reports/:id/objection/handover', outcomeObjectionHandover, {
    key: idOf,
    done: ({ id, course }, request) => (request.person?.isAdmin === true ? casePath(id) : queuePath(course)),
    flash: () => 'cases.flash.handed',
    ...shownAgain('passing', ofReport),
  })
  openForm(app, '/measures/:id/objection', objection, {
    key: () => null,
    formPage: () => STANDING,
    keeps: true,
    input: (request) => ({ ...sentFields(request.body), measure: String(idOf(request)) }),
    done: ({ measureId }) => `${STANDING}#measure-${measureId}`,
    flash: (_request, outcome) =>
      outcome?.isDone === true ? 'standing.flash.objected' : 'standing.flash.again',
    refused: (request, reply, form) => showStanding(request, reply, { measureId: idOf(request), form }),
  })
}

/** Joins the selected boxes of one name with spaces, as the form shows them again. */
function withMeasures({ body }: FastifyRequest, form: FormState): FormState {
  const sent = sentFields(body).measure
  const measure = Array.isArray(sent) ? sent.join(' ') : String(sent ?? '')
  return { ...form, typed: { ...form.typed, measure } }
}
