import { writtenMoment } from '../../messages/spoken-moment.ts'
import type { CasePage } from './case-view.ts'
import type { FoundCase, handoversOf, MeasureRow, reportsOfCase } from './find.ts'
import type { CaseLook } from './look.ts'
import { isRemoval } from './measure-view.ts'

interface Event {
  readonly at: Date
  readonly who: string | null
  readonly key: string
  readonly note: string
}

const ENDED = { over: 'endedOver', lifted: 'endedLifted', objection: 'endedObjection' } as const

/** Lists the events of a case, latest first. */
export function historyOf(
  matter: FoundCase,
  reports: Awaited<ReturnType<typeof reportsOfCase>>,
  handovers: Awaited<ReturnType<typeof handoversOf>>,
  measures: readonly MeasureRow[],
  { t, timeZone }: CaseLook,
): CasePage['history'] {
  const opened = { at: matter.opened_at, who: matter.is_reported ? null : matter.opener_name, note: '' }
  const events: Event[] = [
    { ...opened, key: matter.is_reported ? 'openedByReport' : 'openedByStaff' },
    ...reports
      .slice(matter.is_reported ? 1 : 0)
      .map(({ reported_at: at }) => ({ at, who: null, key: 'reported', note: '' })),
    ...handovers.map(({ handed_at: at, display_name: who, is_to_admins: isToAdmins, note }) => ({
      at,
      who,
      key: isToAdmins ? 'toAdmins' : 'toCourse',
      note,
    })),
    ...measures.flatMap(({ ended_at: at, ended_how: how, end_note: note }) =>
      at === null || how === null ? [] : [{ at, who: null, key: ENDED[how], note }],
    ),
  ]
  if (matter.decided_at !== null)
    events.push({
      at: matter.decided_at,
      who: matter.decider_name,
      key: measures.some(isRemoval) ? 'removed' : matter.state,
      note: '',
    })
  return events
    .sort((one, other) => other.at.getTime() - one.at.getTime())
    .map(({ at, who, key, note }) => ({
      at: writtenMoment(at, timeZone, t),
      who,
      text: t(`cases.history.${key}`),
      note,
    }))
}
