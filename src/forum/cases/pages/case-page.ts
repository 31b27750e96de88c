import type { Row } from '../../../database/schema.ts'
import { may } from '../../../kernel/rights/rights.ts'
import type { Translate } from '../../../messages/catalogue.ts'
import { writtenMoment } from '../../../messages/spoken-moment.ts'
import { changedWords } from '../../../text/changed-words.ts'
import { languageOf, languageOfPost } from '../../../text/language.ts'
import { prepareMarkdown } from '../../../text/markdown.ts'
import { type FormState, freshForm } from '../../../web/form.ts'
import { page } from '../../../web/page.ts'
import { bylineOf, personByline } from '../../authors/byline.ts'
import { headIn, zoneIn } from '../../courses/course-page.ts'
import { waitedFor } from '../../desk/rows.ts'
import { spammerPath } from '../../handling/spammer-path.ts'
import {
  accusedOf,
  type FoundCase,
  findCase,
  handoversOf,
  type MeasureRow,
  measuresOfCase,
  measuresOfPerson,
  recordOf,
  reportsOfCase,
  snapshotsOf,
} from '../find.ts'
import { isRemoval, measureView } from '../measures.ts'
import { REDACTION_GROUNDS } from '../retention.ts'
import { spammerActOf } from '../spammer.ts'
import { presentOf, type SubjectText, subjectOf } from '../subject.ts'
import { type CaseLook, decideView, type SentToCase } from './decide-view.ts'
import { objectionViews, reporterViews, reportViews } from './heard.ts'
import { otherPosts, othersView } from './listed-posts.ts'
import { casePath, queuePath } from './queue-page.ts'

/** One case, for those who may handle it. @throws Problem 404 for everybody else */
export const showCase = page(
  'cases/show',
  { robots: 'noindex', isForStaff: true, showsTexts: true, script: 'queue' },
  async (context, id: number, sent: SentToCase | null = null) => {
    const { db, server, t, lang, now } = context
    const viewer = context.person()
    const matter = await findCase(db, viewer, id)
    const { about, course_id: courseId, person_id: personId, course_slug: slug } = matter
    const course = slug === null ? null : await server.courses.findCourse(slug)
    const timeZone = zoneIn(context, course)
    const formOf: CaseLook['formOf'] = (of, partId = null, begin = {}) =>
      sent?.of === of && sent.partId === partId ? sent.form : freshForm(begin)
    const look = { t, viewer, timeZone, now, formOf }
    const queue = queuePath(matter.is_for_admins ? null : (course?.slug ?? null))
    const [spammer, present, snapshots, measures, reports, handovers, numbers, recorded, others] =
      await Promise.all([
        spammerActOf(db, id),
        presentOf(db, matter),
        snapshotsOf(db, id),
        measuresOfCase(db, id),
        reportsOfCase(db, id),
        handoversOf(db, id),
        personId === null ? null : recordOf(db, personId, courseId),
        personId === null ? [] : measuresOfPerson(db, personId, courseId, null),
        // The admins look at what they wrote everywhere.
        personId === null
          ? []
          : otherPosts(db, matter.is_for_admins ? null : courseId, personId, subjectOf(matter.subject)),
      ])
    const accused = accusedOf(matter)
    const author = accused && bylineOf({ t, viewer }, accused, courseId ?? 0)
    const heading = t(`cases.by.${about}`, { name: author?.text ?? t('cases.formerMember') })
    const crumb = t('cases.crumb', { number: id })
    const isOpen = matter.state === 'open'
    return {
      title: `${heading} · ${crumb}`,
      path: casePath(id),
      queue: { path: queue, text: t('cases.queue.title') },
      crumb,
      heading,
      isOpen,
      stateText: t(`cases.state.${measures.some(isRemoval) ? 'removed' : matter.state}`),
      reason: t(`reports.reason.${matter.reason}`),
      wait: t('cases.waiting', { time: waitedFor(matter.opened_at, t, now, 'short') }),
      reportsText: matter.reports_count === 0 ? null : t('cases.reports', { count: matter.reports_count }),
      decided: matter.decided_at && {
        at: writtenMoment(matter.decided_at, timeZone, t),
        by: matter.decider_name ?? t('cases.formerMember'),
      },
      thread: present && { path: present.path, text: threadText(matter, present, look) },
      claim: isOpen ? claimOf(matter, look) : null,
      conflict: sent?.isConflict === true ? conflictText(matter, sent.of, look) : null,
      errors: (sent?.form.errors ?? []).map(({ field, message }) => ({
        field: sent === null ? field : controlOf(sent, field),
        text: t(message.key, message.values),
      })),
      author,
      spammerPath:
        accused &&
        spammerPath(
          viewer,
          { ...matter, id: accused.author_id, role: accused.author_role, isAdmin: matter.author_is_admin },
          matter.is_for_admins ? null : course,
          casePath(id),
        ),
      evidence: await evidenceOf(matter, snapshots, present, look),
      presentText:
        present === null ? t('cases.present.gone') : present.isDeleted ? t('cases.present.deleted') : null,
      reports: reportViews(matter, reports, look),
      record: numbers && {
        ...numbers,
        joinedAt: matter.joined_at && writtenMoment(matter.joined_at, timeZone, t),
        entries: recorded
          .filter(({ case_id: caseId }) => caseId !== id)
          .map((one) => ({
            ...measureView(t, one, look),
            by:
              one.made_by === viewer.id ? t('cases.record.you') : (one.maker_name ?? t('cases.formerMember')),
            casePath: casePath(one.case_id),
            rule: one.rule,
          })),
      },
      others: othersView(others, author?.text ?? t('cases.formerMember'), queue, look),
      history: historyOf(matter, reports, handovers, measures, spammer, look),
      measures: isOpen
        ? []
        : measures.map((one) => ({ ...measureView(t, one, look), form: formOf('lifting', one.id) })),
      objections: [
        ...(await objectionViews(db, matter, measures, author, look)),
        ...(await reporterViews(db, matter, present, look)),
      ],
      decision: isOpen ? [] : decisionOf(matter, sent?.isConflict === true ? sent.form.typed : {}, t),
      form: isOpen ? await decideView(db, matter, author?.text ?? '', lang, look) : null,
      handover: isOpen && courseId !== null ? handoverOf(matter, look) : null,
      redactionGrounds: REDACTION_GROUNDS,
      redaction: formOf('redaction'),
      redactPath:
        may(viewer, 'moderate-forum') && snapshots.some(({ redacted_at: at }) => at === null)
          ? `${casePath(id)}/redaction`
          : null,
      head: {
        address: casePath(id),
        ...(await headIn(context, course, 'moderation', true)),
      },
    }
  },
)

/** Names the question, which those who may handle the case may read until it is deleted. */
function threadText(
  { about }: FoundCase,
  { shownTitle: title, isQuestionDeleted }: SubjectText,
  { t }: CaseLook,
) {
  return about === 'person' || isQuestionDeleted
    ? t(`cases.thread.${about}`)
    : t(`cases.about.${about}`, { title })
}

/** The id of the control that the summary of errors leads to. */
function controlOf({ of, partId }: SentToCase, field: string): string {
  if (of === 'decision') return field === 'everywhere' ? 'measure' : field
  if (of === 'handover') return 'handover-note'
  if (of === 'redaction') return `redact-${field}`
  return `${of === 'lifting' ? 'lift' : `answer-${of}`}-${partId}`
}

function claimOf(matter: FoundCase, { t, viewer, timeZone }: CaseLook) {
  const { claimed_by: id, claimer_name: name, claimer_role: role, claimed_until: until } = matter
  if (id === null || name === null || until === null)
    return { isMine: false, byline: null, until: null } as const
  return {
    isMine: id === viewer.id,
    byline: personByline({ id, displayName: name, role }),
    until: writtenMoment(until, timeZone, t),
  }
}

function conflictText(matter: FoundCase, of: SentToCase['of'], { t }: CaseLook): string {
  if (of !== 'decision') return t(`cases.conflict.${of === 'reply' ? 'objection' : of}`)
  if (matter.state === 'open') return t('cases.conflict.changed')
  return t('cases.conflict.decided', { name: matter.decider_name ?? t('cases.formerMember') })
}

/** What is known of the text: `html` null: redacted; `pieces`: the changes since it was reported, null: it is shown in whole. */
async function evidenceOf(
  { about }: FoundCase,
  snapshots: readonly Row<'case_snapshots'>[],
  present: SubjectText | null,
  { t, timeZone }: CaseLook,
) {
  const texts = await prepareMarkdown(snapshots.map(({ body }) => body ?? ''))
  const kept = snapshots.map((snapshot, index) => {
    const { title, body, redacted_at: redactedAt, redacted_why: why, taken_at: takenAt } = snapshot
    const html = texts[index]?.html ?? ''
    return {
      heading: t('cases.evidence.reported'),
      at: writtenMoment(takenAt, timeZone, t),
      html: redactedAt === null ? html : null,
      removedWhy: why ?? '',
      lang: body === null ? (title === null ? null : languageOf(title)) : languageOfPost(html),
      title,
      pieces: null,
    }
  })
  const last = snapshots.at(-1)
  const isEdited = about !== 'person' && present?.textVersion !== last?.text_version
  if (!isEdited || present === null || present.body === null || last === undefined || last.body === null)
    return kept
  const changed = {
    heading: t('cases.evidence.now'),
    at: present.editedAt && writtenMoment(present.editedAt, timeZone, t),
    html: '',
    removedWhy: '',
    lang: languageOf(present.body),
    title: null,
    pieces: changedWords(last.body, present.body),
  }
  return [...kept, changed]
}

const ENDED = { over: 'endedOver', lifted: 'endedLifted', objection: 'endedObjection' } as const

function historyOf(
  matter: FoundCase,
  reports: Awaited<ReturnType<typeof reportsOfCase>>,
  handovers: Awaited<ReturnType<typeof handoversOf>>,
  measures: readonly MeasureRow[],
  spammer: Awaited<ReturnType<typeof spammerActOf>>,
  { t, timeZone }: CaseLook,
) {
  const { opened_at, decided_at, decider_name, is_reported: isReported } = matter
  const opener = isReported ? null : matter.opener_name
  const happened = (at: Date | null, key: string | null, who: string | null = null, note = '') =>
    at === null || key === null ? [] : [{ at, key, who, note }]
  const events = [
    ...happened(opened_at, isReported ? 'openedByReport' : 'openedByStaff', opener),
    ...reports.slice(isReported ? 1 : 0).flatMap(({ reported_at: at }) => happened(at, 'reported')),
    ...handovers.flatMap(({ handed_at: at, display_name: who, is_to_admins: isToAdmins, note }) =>
      happened(at, isToAdmins ? 'toAdmins' : 'toCourse', who, note),
    ),
    ...measures.flatMap(({ ended_at: at, ended_how: how, end_note: note }) =>
      happened(at, how && ENDED[how], null, note),
    ),
    ...(spammer === null
      ? []
      : [
          ...happened(spammer.at, 'spammer'),
          ...happened(spammer.undoneAt, 'spammerUndone', spammer.undoneBy),
        ]),
    ...happened(decided_at, measures.some(isRemoval) ? 'removed' : matter.state, decider_name),
  ]
  return events
    .sort((one, other) => other.at.getTime() - one.at.getTime())
    .map(({ at, who, key, note }) => ({
      at: writtenMoment(at, timeZone, t),
      who,
      text: t(`cases.history.${key}`),
      note,
    }))
}

/** What the decision says, and below it what somebody slower typed. */
function decisionOf(matter: FoundCase, typed: FormState['typed'], t: Translate) {
  const lines = {
    rule: matter.rule,
    note: matter.note,
    reporterNote: matter.reporter_note,
    staffNote: matter.staff_note,
    unsentNote: typed.note,
    unsentReporterNote: typed.reporter_note,
    unsentStaffNote: typed.staff_note,
  }
  return Object.entries(lines).flatMap(([key, text]) =>
    text ? [{ label: t(`cases.decision.${key}`), text }] : [],
  )
}

function handoverOf(matter: FoundCase, { viewer, formOf }: CaseLook) {
  const form = formOf('handover')
  if (!matter.is_for_admins) return { to: 'admins', form }
  const canGoBack = may(viewer, 'moderate-forum') && matter.has_handler_in_course
  // With what was typed where the last of the course's staff left while the form was open.
  return canGoBack || form.errors.length > 0 ? { to: 'course', form } : null
}
