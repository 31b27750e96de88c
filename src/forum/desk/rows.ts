import type { Translate } from '../../messages/catalogue.ts'
import { writtenDate } from '../../messages/spoken-moment.ts'
import { languageOf } from '../../text/language.ts'
import { personByline } from '../authors/byline.ts'
import type { DeskRow } from './queries.ts'

export interface RowOptions {
  readonly t: Translate
  readonly viewerId: number
  readonly timeZone: string
  readonly now: Date
  readonly pathOf: (id: number) => string
  readonly openId: number | null
}

const MINUTES_PER_HOUR = 60
const MINUTES_PER_DAY = 24 * MINUTES_PER_HOUR

export type DeskRowView = ReturnType<typeof deskRow>

/** `wait`: how long it has waited, or until when it is put off. `answering`: a colleague has it open to answer it. */
export function deskRow(row: DeskRow, options: RowOptions) {
  const { t, viewerId, now } = options
  const { lecture_position: position, lecture_title: title } = row
  return {
    id: row.id,
    path: options.pathOf(row.id),
    title: row.title,
    lang: languageOf(row.title),
    wait: waitOf(row, options, 'short'),
    spokenWait: waitOf(row, options, 'spoken'),
    // It has waited for longer than the course promises.
    isHot: row.is_due && !isSnoozed(row, now),
    isPrivate: row.is_private,
    hiding: row.hiding,
    lecture: position === null || title === null ? null : t('questions.lecture.option', { position, title }),
    votesCount: row.votes_count,
    assignee: staffByline(row.assignee_id, row.assignee_name, row.assignee_role, viewerId),
    answering:
      row.claimant_id === viewerId
        ? null
        : staffByline(row.claimant_id, row.claimant_name, row.claimant_role, viewerId),
    isOpen: row.id === options.openId,
  }
}

function staffByline(
  id: number | null,
  name: string | null,
  role: DeskRow['assignee_role'],
  viewerId: number,
) {
  if (id === null || name === null) return null
  return { ...personByline({ id, displayName: name, role }), isViewer: id === viewerId }
}

const isSnoozed = ({ snoozed_until: until }: Pick<DeskRow, 'snoozed_until'>, now: Date) =>
  until !== null && until > now

/** Since when somebody waits, or somebody wrote after the end; null: neither. */
export const sinceOf = (row: DeskRow) =>
  row.waiting_since ?? row.classmates_since ?? row.asker_since ?? row.replied_since

/** How long it waits: days and hours, hours, or minutes, as it is shown or as it is read out. What is put off says until when. */
function waitOf(row: DeskRow, { t, now, timeZone }: RowOptions, form: 'short' | 'spoken'): string {
  if (row.snoozed_until !== null && isSnoozed(row, now))
    return writtenDate(row.snoozed_until, timeZone, t, now).text
  const since = sinceOf(row)
  if (since === null) return t(`desk.wait.${form}.none`)
  return waitedFor(since, t, now, form)
}

export function waitedFor(since: Date, t: Translate, now: Date, form: 'short' | 'spoken'): string {
  const minutes = Math.max(0, Math.floor((now.getTime() - since.getTime()) / 60_000))
  const [days, hours] = [
    Math.floor(minutes / MINUTES_PER_DAY),
    Math.floor((minutes % MINUTES_PER_DAY) / MINUTES_PER_HOUR),
  ]
  if (days > 0) return t(`desk.wait.${form}.days`, { days, hours })
  return hours > 0 ? t(`desk.wait.${form}.hours`, { hours }) : t(`desk.wait.${form}.minutes`, { minutes })
}
