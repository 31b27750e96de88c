import type { Database, Row } from '../../../database/schema.ts'
import type { Person } from '../../../kernel/rights/person.ts'
import type { Translate } from '../../../messages/catalogue.ts'
import { writtenMoment } from '../../../messages/spoken-moment.ts'
import { changedWords } from '../../../text/changed-words.ts'
import { languageOf, languageOfPost } from '../../../text/language.ts'
import { prepareMarkdown } from '../../../text/markdown.ts'
import { type FormState, freshForm } from '../../../web/form.ts'
import { personByline } from '../../authors/byline.ts'
import { seesReporters } from '../../handling/handlers.ts'
import type { FoundCase, handoversOf, MeasureRow, RecordedMeasure, recordOf, reportsOfCase } from '../find.ts'
import { isRemoval, measureTitle, measureView } from '../measures.ts'
import { hasOtherHandler } from '../objections.ts'
import type { SubjectText } from '../subject.ts'
import { casePath } from './queue-page.ts'

export interface SentToCase {
  readonly of: 'decision' | 'handover' | 'redaction' | 'lifting' | 'objection' | 'passing'
  readonly form: FormState
  /** Somebody else was faster, or something came that the form had not seen. */
  readonly isConflict: boolean
  /** The measure that the form was about; null: the case. */
  readonly measureId: number | null
  readonly status: number
}

export interface CaseLook {
  readonly t: Translate
  readonly viewer: Person
  readonly timeZone: string
  readonly now: Date
}

/** What is known of the text: `html` null: redacted; `pieces`: the changes since it was reported, null: it is shown in whole. */
export async function evidenceOf(
  matter: FoundCase,
  snapshots: readonly Row<'case_snapshots'>[],
  present: SubjectText | null,
  look: CaseLook,
) {
  const texts = await prepareMarkdown(snapshots.map(({ body }) => body ?? ''))
  const kept = snapshots.map((snapshot, index) => keptView(snapshot, texts[index]?.html ?? '', look))
  const last = snapshots.at(-1)
  const { t } = look
  if (present === null) return { evidence: kept, presentText: t('cases.present.gone') }
  const isEdited =
    matter.about !== 'person' && last !== undefined && present.textVersion !== last.text_version
  const presentText = present.isDeleted ? t('cases.present.deleted') : null
  if (!isEdited || last?.body === null || present.body === null) return { evidence: kept, presentText }
  return { evidence: [...kept, changedView(last?.body ?? '', present, look)], presentText }
}

function keptView(snapshot: Row<'case_snapshots'>, html: string, { t, timeZone }: CaseLook) {
  const { title, body, redacted_at: redactedAt, taken_at: takenAt } = snapshot
  return {
    heading: t('cases.evidence.reported'),
    at: writtenMoment(takenAt, timeZone, t),
    html: redactedAt === null ? html : null,
    removedWhy: snapshot.redacted_why ?? '',
    lang: body === null ? (title === null ? null : languageOf(title)) : languageOfPost(html),
    title,
    pieces: null,
  }
}

function changedView(before: string, present: SubjectText, { t, timeZone }: CaseLook) {
  const now = present.body ?? ''
  return {
    heading: t('cases.evidence.now'),
    at: present.editedAt === null ? null : writtenMoment(present.editedAt, timeZone, t),
    html: '',
    removedWhy: '',
    lang: languageOf(now),
    title: null,
    pieces: changedWords(before, now),
  }
}

/** The reports of a case: who made them is for instructors and admins, what they say for assistants, too. */
export function reportViews(
  matter: FoundCase,
  reports: Awaited<ReturnType<typeof reportsOfCase>>,
  { t, viewer, timeZone }: CaseLook,
) {
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

export function recordView(
  numbers: Awaited<ReturnType<typeof recordOf>>,
  recorded: readonly RecordedMeasure[],
  matter: FoundCase,
  { t, viewer, timeZone, now }: CaseLook,
) {
  const earlier = recorded.filter(({ case_id: id }) => id !== matter.id)
  return {
    title: t('cases.record.title'),
    joinedAt: matter.joined_at === null ? null : writtenMoment(matter.joined_at, timeZone, t),
    ...numbers,
    entries: earlier.map((one) => ({
      ...measureView(t, one, { about: one.about, course: one.course_title, timeZone, now }),
      by: one.made_by === viewer.id ? t('cases.record.you') : (one.maker_name ?? t('cases.formerMember')),
      casePath: casePath(one.case_id),
      rule: one.rule,
    })),
  }
}

const ENDED = { over: 'endedOver', lifted: 'endedLifted', objection: 'endedObjection' } as const

export function historyOf(
  matter: FoundCase,
  reports: Awaited<ReturnType<typeof reportsOfCase>>,
  handovers: Awaited<ReturnType<typeof handoversOf>>,
  measures: readonly MeasureRow[],
  { t, timeZone }: CaseLook,
) {
  const opened = { at: matter.opened_at, who: matter.is_reported ? null : matter.opener_name, note: '' }
  const events = [
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

/** Whoever took a measure answers the objection to it only where nobody else can; they can also pass it on to the admins. */
export async function objectionViews(
  db: Database,
  matter: FoundCase,
  measures: readonly MeasureRow[],
  sent: SentToCase | null,
  { t, viewer, timeZone }: CaseLook,
  course: string | null,
) {
  const views = []
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
