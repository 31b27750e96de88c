import { writtenMoment } from '../../messages/spoken-moment.ts'
import { personByline } from '../authors/byline.ts'
import { seesReporters } from '../handling/handlers.ts'
import type { ReportView } from './case-view.ts'
import type { FoundCase, reportsOfCase } from './find.ts'
import type { CaseLook } from './look.ts'

/** The reports of a case: who made them is for instructors and admins, what they say for assistants, too. */
export function reportViews(
  matter: FoundCase,
  reports: Awaited<ReturnType<typeof reportsOfCase>>,
  { t, viewer, timeZone }: CaseLook,
): readonly ReportView[] {
  const seesNames = seesReporters(viewer, matter.course_id)
  const [first] = reports
  return reports.map((report) => {
    const { person_id: id, display_name: name, is_by_visitor: isByVisitor } = report
    const isNamed = seesNames && id !== null && name !== null
    return {
      byline: isNamed ? personByline({ id, displayName: name, role: null }) : null,
      name: isNamed
        ? name
        : isByVisitor
          ? visitorName(t, seesNames ? report.visitor_name : '')
          : t(seesNames ? 'cases.formerMember' : 'cases.reporter.hidden'),
      reason: t(`reports.reason.${report.reason}`),
      at: writtenMoment(report.reported_at, timeZone, t),
      isAboutLater: first !== undefined && report.text_version !== first.text_version,
      note: report.note,
    }
  })
}

function visitorName(t: CaseLook['t'], name: string): string {
  return name === '' ? t('cases.reporter.visitor') : t('cases.reporter.namedVisitor', { name })
}
