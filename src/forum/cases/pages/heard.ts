import type { Database } from '../../../database/schema.ts'
import { writtenMoment } from '../../../messages/spoken-moment.ts'
import { type Byline, personByline } from '../../authors/byline.ts'
import { seesReporters } from '../../handling/handlers.ts'
import { hasOtherHandler } from '../endings.ts'
import type { FoundCase, MeasureRow, reportsOfCase } from '../find.ts'
import { measureTitle } from '../measures.ts'
import { reporterObjections } from '../report-objection.ts'
import type { SubjectText } from '../subject.ts'
import type { CaseLook } from './decide-view.ts'

type ReportRow = Awaited<ReturnType<typeof reportsOfCase>>[number]

/** Who made a report, for instructors and admins; what it says is for assistants, too. */
function reporterOf(
  {
    person_id: id,
    display_name: displayName,
    visitor_name: visitor,
    is_by_visitor: isByVisitor,
  }: Pick<ReportRow, 'person_id' | 'display_name' | 'visitor_name' | 'is_by_visitor'>,
  { course_id: courseId }: FoundCase,
  { t, viewer }: CaseLook,
) {
  const seesNames = seesReporters(viewer, courseId)
  const byline =
    seesNames && id !== null && displayName !== null ? personByline({ id, displayName, role: null }) : null
  const unnamed = !isByVisitor
    ? t(seesNames ? 'cases.formerMember' : 'cases.reporter.hidden')
    : seesNames && visitor !== ''
      ? t('cases.reporter.namedVisitor', { name: visitor })
      : t('cases.reporter.visitor')
  return { byline, name: byline?.text ?? unnamed }
}

/** What was reported, the first report first. */
export function reportViews(matter: FoundCase, reports: readonly ReportRow[], look: CaseLook) {
  const { t, timeZone } = look
  const [first] = reports
  return reports.map((report) => {
    return {
      ...reporterOf(report, matter, look),
      reason: t(`reports.reason.${report.reason}`),
      at: writtenMoment(report.reported_at, timeZone, t),
      isAboutLater: report.text_version !== first?.text_version,
      note: report.note,
    }
  })
}

/** An objection to a measure, or to the outcome of a report: views/cases/_objection.eta. */
export type ObjectionView = Awaited<ReturnType<typeof answerable>>

/** Whoever decided answers an objection to that only where nobody else can; they can also pass it on to the admins. */
async function answerable(
  db: Database,
  { id: caseId, course_id: courseId, is_for_admins: isForAdmins }: FoundCase,
  {
    madeBy,
    outcome,
    at,
    ...said
  }: {
    readonly of: 'objection' | 'reply'
    /** Of the measure or the report. */
    readonly id: number
    readonly path: string
    readonly title: string
    readonly byline: Byline | null
    readonly by: string
    readonly note: string
    readonly at: Date
    readonly outcome: 'keep' | 'lift' | null
    readonly answer: string
    readonly madeBy: number | null
    /** What they asked for can still be done. */
    readonly canLift: boolean
  },
  { t, viewer, timeZone, formOf }: CaseLook,
) {
  const isOwn = outcome === null && madeBy === viewer.id
  const isLeftToOther = isOwn && (await hasOtherHandler(db, caseId, madeBy))
  const canPassOn = isOwn && !isLeftToOther && courseId !== null && !isForAdmins
  return {
    ...said,
    at: writtenMoment(at, timeZone, t),
    answered: outcome && t(`objections.outcome.${said.of}.${outcome}`),
    canAnswer: outcome === null && !isLeftToOther,
    handoverPath: canPassOn ? `${said.path}/handover` : null,
    form: formOf(said.of, said.id),
  }
}

export async function objectionViews(
  db: Database,
  matter: FoundCase,
  measures: readonly MeasureRow[],
  author: Byline | null,
  look: CaseLook,
) {
  const views: ObjectionView[] = []
  for (const measure of measures) {
    const { id, objected_at: at, objected_note: note, outcome, made_by: madeBy } = measure
    if (at === null || note === null) continue
    const title = look.t('objections.title', { measure: measureTitle(look.t, measure, measure.course_title) })
    const said = { title, byline: author, by: '', note, at, outcome, answer: measure.answer ?? '' }
    const subject = { of: 'objection', id, path: `/measures/${id}/objection`, madeBy, canLift: true } as const
    views.push(await answerable(db, matter, { ...said, ...subject }, look))
  }
  return views
}

/** Who reported it is for instructors and admins. Whoever objects themselves leaves it to others. */
export async function reporterViews(
  db: Database,
  matter: FoundCase,
  present: SubjectText | null,
  look: CaseLook,
): Promise<ObjectionView[]> {
  const { t, viewer } = look
  const views: ObjectionView[] = []
  for (const one of await reporterObjections(db, matter.id)) {
    const { reportId: id, note, at, outcome, answer } = one
    const reporter = { ...one, person_id: one.personId, display_name: one.name }
    const who = reporterOf(
      { ...reporter, visitor_name: one.visitorName, is_by_visitor: one.isByVisitor },
      matter,
      look,
    )
    const said = {
      title: t('objections.title.reporter'),
      byline: who.byline,
      by: who.name,
      note,
      at,
      outcome,
      answer,
    }
    const canLift = present !== null && !present.isPurged
    const subject = {
      of: 'reply',
      id,
      path: `/reports/${id}/objection`,
      madeBy: matter.decided_by,
      canLift,
    } as const
    const view = await answerable(db, matter, { ...said, ...subject }, look)
    views.push({ ...view, canAnswer: view.canAnswer && one.personId !== viewer.id })
  }
  return views
}
