import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { writtenDate, writtenMoment } from '../../../messages/spoken-moment.ts'
import { languageOf } from '../../../text/language.ts'
import { type FormState, freshForm, sentFields } from '../../../web/form.ts'
import { openForm } from '../../../web/forms/door.ts'
import { page } from '../../../web/page.ts'
import { idParam, textParam } from '../../../web/params.ts'
import { questionPath } from '../../../web/paths.ts'
import { findOwnReport, type OwnReport, outcomeObjection, visitorsObjection } from '../report-objection.ts'

export const ownReportPath = (id: number) => `/reports/${id}`
const byMailPath = (token: string) => `/reports/by-mail/${token}`

/** What somebody reported, signed in or by the link in an email, and the form that objects to the outcome. */
export function registerOwnReports(app: FastifyInstance): void {
  const own = (request: FastifyRequest) => ({ id: idParam(request, 'id') })
  const byMail = (request: FastifyRequest) => ({ token: textParam(request, 'token') })
  const doorOf = (which: (request: FastifyRequest) => OwnReport) => ({
    key: () => null,
    formPage: (request: FastifyRequest) => pathOf(which(request)),
    keeps: ['note'],
    done: (_outcome: unknown, request: FastifyRequest) => pathOf(which(request)),
    flash: (_request: FastifyRequest, outcome: { readonly isDone: boolean } | null) =>
      outcome?.isDone === true ? 'standing.flash.objected' : 'standing.flash.again',
    refused: (request: FastifyRequest, reply: FastifyReply, form: FormState) =>
      showOwnReport(request, reply, which(request), form),
  })
  app.get('/reports/:id', (request, reply) => showOwnReport(request, reply, own(request)))
  openForm(app, '/reports/:id/objection', outcomeObjection, {
    ...doorOf(own),
    input: (request) => ({ note: sentFields(request.body).note, report: String(own(request).id) }),
  })
  app.get('/reports/by-mail/:token', (request, reply) => showOwnReport(request, reply, byMail(request)))
  openForm(app, '/reports/by-mail/:token/objection', visitorsObjection, {
    ...doorOf(byMail),
    actor: ({ person }) => person,
    input: (request) => ({ note: sentFields(request.body).note, ...byMail(request) }),
  })
}

const pathOf = (which: OwnReport) => ('token' in which ? byMailPath(which.token) : ownReportPath(which.id))

export const showOwnReport = page(
  'reports/show',
  { robots: 'noindex', isForStaff: true },
  async (context, which: OwnReport, form: FormState = freshForm()) => {
    const { t, db, viewer, config } = context
    if ('id' in which) context.person()
    const report = await findOwnReport(db, which, viewer)
    const { question, state, objectUntil: until, objectedAt, outcome } = report
    const timeZone = viewer?.timeZone ?? report.timeZone ?? config.timeZone
    return {
      title: t('myReport.title'),
      about: t(`myReport.about.${report.about}`),
      post: question && {
        path: questionPath(question),
        text: t(`cases.about.${report.about}`, { title: question.title }),
        lang: languageOf(question.title),
      },
      reportedAt: writtenMoment(report.reportedAt, timeZone, t),
      reason: t(`reports.reason.${report.reason}`),
      note: report.note,
      outcome: t(`caseLetters.outcome.${state}`),
      reporterNote: report.reporterNote,
      untilText:
        until !== null && report.isInTime
          ? t('standing.object.until', { until: writtenDate(until, timeZone, t).text })
          : null,
      objection: objectedAt && {
        text: t(outcome === null ? 'standing.objected' : `caseLetters.reply.${outcome}`),
        at: writtenMoment(report.answeredAt ?? objectedAt, timeZone, t),
        note: report.objection ?? '',
        answer: report.answer ?? '',
      },
      canObject: objectedAt === null && report.isInTime,
      action: `${pathOf(which)}/objection`,
      form,
      head: { address: pathOf(which) },
    }
  },
)
