import { writtenMoment } from '../../messages/spoken-moment.ts'
import type { RecordView } from './case-view.ts'
import type { FoundCase, RecordedMeasure } from './find.ts'
import type { CaseLook } from './look.ts'
import { measureView } from './measure-view.ts'
import { casePath } from './queue-page.ts'

interface Numbers {
  readonly upheld: number
  readonly declined: number
  readonly measures: number
  readonly objections: number
  readonly joinedAt: Date | null
}

/** Summarizes a person's earlier cases in the course, for its staff. */
export function recordView(
  { joinedAt, ...numbers }: Numbers,
  recorded: readonly RecordedMeasure[],
  matter: FoundCase,
  { t, viewer, timeZone, now }: CaseLook,
): RecordView {
  const earlier = recorded.filter(({ case_id: id }) => id !== matter.id)
  return {
    title: t('cases.record.title'),
    joinedAt: joinedAt === null ? null : writtenMoment(joinedAt, timeZone, t),
    ...numbers,
    entries: earlier.map((one) => ({
      ...measureView(t, one, { about: one.about, course: one.course_title, timeZone, now }),
      by: one.made_by === viewer.id ? t('cases.record.you') : (one.maker_name ?? t('cases.formerMember')),
      casePath: casePath(one.case_id),
      rule: one.rule,
    })),
  }
}
