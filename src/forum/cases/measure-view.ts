import type { CaseAbout, MeasureKind } from '../../database/schema.ts'
import type { Translate } from '../../messages/catalogue.ts'
import { writtenMoment } from '../../messages/spoken-moment.ts'
import type { Moment } from '../../text/moment.ts'
import { REMOVAL_DAYS } from '../handling/in-force.ts'
import type { MeasureRow } from './find.ts'

/** A measure, as pages and letters name it: views/cases/_measure.eta. */
export interface MeasureView {
  readonly id: number
  /** 'Answer hidden', 'Suspended in REST'. */
  readonly title: string
  readonly isInForce: boolean
  /** How it ended; null: it is in force, or was a warning. */
  readonly endedText: string | null
  readonly since: Moment
  readonly until: Moment | null
  readonly hasEnd: boolean
  /** The address that lifts it; null: it isn't in force, or too old to be undone. */
  readonly endPath: string | null
}

const DAY_MS = 86_400_000

interface Named {
  readonly kind: MeasureRow['kind']
  readonly is_everywhere: boolean
  readonly about: CaseAbout
  readonly course: string | null
}

/** A kind in the keys of messages. */
export const wordOf = (kind: MeasureRow['kind']) => (kind === 'reset-name' ? 'resetName' : kind)

export function measureTitle(
  t: Translate,
  { kind, is_everywhere: isEverywhere, about, course }: Named,
): string {
  if (kind === 'hide' || kind === 'delete') return t(`measures.${kind}.${about}`)
  if (kind !== 'suspend') return t(`measures.${wordOf(kind)}`)
  return isEverywhere || course === null
    ? t('measures.suspend.everywhere')
    : t('measures.suspend.course', { course })
}

/** The measures by their weight: of a decision that took several, the first names it. */
export const BY_WEIGHT: readonly MeasureKind[] = [
  'delete',
  'hide',
  'private',
  'close',
  'suspend',
  'reset-name',
  'warn',
]

export const isRemoval = ({ kind }: Pick<MeasureRow, 'kind'>) => kind === 'hide' || kind === 'delete'

/** 'Your question was hidden': a decision as the person it is about is told it. */
export function decidedSentence(t: Translate, kind: MeasureKind, about: CaseAbout): string {
  return t(`decided.told.${wordOf(kind)}`, { about })
}

export function isInForce({ kind, ended_at: endedAt, ends_at: endsAt }: MeasureRow, now: Date): boolean {
  return kind !== 'warn' && endedAt === null && (endsAt === null || endsAt > now)
}

export function measureView(
  t: Translate,
  measure: MeasureRow,
  { about, course, timeZone, now }: { about: CaseAbout; course: string | null; timeZone: string; now: Date },
): MeasureView {
  const isNow = isInForce(measure, now)
  const ended = measure.ended_how ?? (measure.kind === 'warn' || isNow ? null : 'over')
  const endsAt = measure.ended_at ?? measure.ends_at
  return {
    id: measure.id,
    title: measureTitle(t, { ...measure, about, course }),
    isInForce: isNow,
    endedText: ended === null ? null : t(`measures.ended.${ended}`),
    since: writtenMoment(measure.starts_at, timeZone, t),
    until: endsAt === null ? null : writtenMoment(endsAt, timeZone, t),
    hasEnd: measure.kind !== 'warn',
    endPath: isNow && !isTooOld(measure, about, now) ? `/measures/${measure.id}/end` : null,
  }
}

/** Whether all posts of an account were deleted too long ago for staff to restore them. An objection still can. */
const isTooOld = ({ kind, starts_at: startsAt }: MeasureRow, about: CaseAbout, now: Date) =>
  kind === 'delete' && about === 'person' && now.getTime() - startsAt.getTime() >= REMOVAL_DAYS * DAY_MS
