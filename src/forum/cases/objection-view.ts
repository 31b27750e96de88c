import type { Database } from '../../database/schema.ts'
import { writtenMoment } from '../../messages/spoken-moment.ts'
import { freshForm } from '../../web/form.ts'
import type { ObjectionView } from './case-view.ts'
import type { FoundCase, MeasureRow } from './find.ts'
import type { CaseLook, SentToCase } from './look.ts'
import { measureTitle } from './measure-view.ts'
import { hasOtherHandler } from './objections.ts'

/** The objections to the measures of a case; one that waits with the form to answer it. */
export async function objectionViews(
  db: Database,
  matter: FoundCase,
  measures: readonly MeasureRow[],
  sent: SentToCase | null,
  { t, viewer, timeZone }: CaseLook,
  course: string | null,
): Promise<readonly ObjectionView[]> {
  const views: ObjectionView[] = []
  for (const measure of measures) {
    const { objected_at: at, objected_note: note, outcome, answer } = measure
    if (at === null || note === null) continue
    const isOwn = outcome === null && measure.made_by === viewer.id
    const isLeftToOther = isOwn && (await hasOtherHandler(db, measure.id))
    const canPassOn = isOwn && !isLeftToOther && matter.course_id !== null && !matter.is_for_admins
    const path = `/measures/${measure.id}/objection`
    views.push({
      measureId: measure.id,
      title: measureTitle(t, { ...measure, about: matter.about, course }),
      at: writtenMoment(at, timeZone, t),
      note,
      answered: outcome === null ? null : { text: t(`objections.outcome.${outcome}`), answer: answer ?? '' },
      canAnswer: outcome === null && !isLeftToOther,
      action: `${path}/answer`,
      handoverPath: canPassOn ? `${path}/handover` : null,
      form: sent?.of === 'objection' && sent.measureId === measure.id ? sent.form : freshForm(),
    })
  }
  return views
}
