import type { FastifyReply, FastifyRequest } from 'fastify'
import { may } from '../../../kernel/rights/rights.ts'
import { writtenMoment } from '../../../messages/spoken-moment.ts'
import { type FormState, freshForm } from '../../../web/form.ts'
import { languageOfRequest, translatorFor } from '../../../web/language.ts'
import { contextOf } from '../../../web/page.ts'
import { bylineOf, personByline } from '../../authors/byline.ts'
import { barOf } from '../../courses/course-bar.ts'
import type { Course } from '../../courses/queries.ts'
import { waitedFor } from '../../desk/rows.ts'
import { listRules } from '../../policies/policy.ts'
import {
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
import { lastRuleNamed } from '../form.ts'
import { isRemoval, measureView } from '../measures.ts'
import { REDACTION_GROUNDS } from '../retention.ts'
import { presentOf, type SubjectText } from '../subject.ts'
import {
  type CaseLook,
  evidenceOf,
  historyOf,
  objectionViews,
  recordView,
  reportViews,
  type SentToCase,
} from './case-sections.ts'
import { decideView, firstReason } from './decide-view.ts'
import { casePath, queuePath } from './queue-page.ts'

export async function showCase(
  request: FastifyRequest,
  reply: FastifyReply,
  id: number,
  sent: SentToCase | null = null,
) {
  const { course, page } = await casePage(request, id, sent)
  return reply.page('cases/show', page, {
    status: sent?.status ?? 200,
    address: casePath(id),
    robots: 'noindex',
    isForStaff: true,
    showsTexts: true,
    ...(course === null
      ? {}
      : { course: course.slug, bar: await barOf(contextOf(request), course, 'moderation', true) }),
  })
}

export type CasePage = Awaited<ReturnType<typeof casePage>>['page']

/** One case, for those who may handle it. @throws Problem 404 for everybody else */
async function casePage(request: FastifyRequest, id: number, sent: SentToCase | null) {
  const viewer = request.requirePerson()
  const { db, config, courses } = request.server
  const matter = await findCase(db, viewer, id)
  const course = matter.course_slug === null ? null : await courses.findCourse(matter.course_slug)
  const timeZone = viewer.timeZone ?? course?.timeZone ?? config.timeZone
  const look = { t: translatorFor(request), viewer, timeZone, now: new Date() }
  const [present, snapshots, measures, reports, handovers, record, recorded] = await Promise.all([
    presentOf(db, matter),
    snapshotsOf(db, id),
    measuresOfCase(db, id),
    reportsOfCase(db, id),
    handoversOf(db, id),
    matter.person_id === null ? null : recordOf(db, matter.person_id, matter.course_id),
    matter.person_id === null ? [] : measuresOfPerson(db, matter.person_id, matter.course_id, null),
  ])
  const head = headOf(matter, measures, course, look)
  const author = authorOf(matter, present?.is_anonymous ?? false, look)
  const isOpen = matter.state === 'open'
  const [rules, lastRule] = isOpen
    ? await Promise.all([
        listRules(db, matter.course_id, languageOfRequest(request)),
        lastRuleNamed(db, matter.course_id, matter.reason),
      ])
    : [[], '']
  const first = firstReason(look.t, matter.reason, lastRule, rules)
  const form = sent?.of === 'decision' ? sent.form : freshForm(first)
  const of = { about: matter.about, course: course?.title ?? null, timeZone, now: look.now }
  const page = {
    ...head,
    thread: present === null ? null : { path: present.path, text: threadText(matter, present, look) },
    claim: claimOf(matter, look),
    conflict: conflictText(matter, sent, look),
    errors: errorsOf(sent, look),
    author,
    ...(await evidenceOf(matter, snapshots, present, look)),
    reports: reportViews(matter, reports, look),
    record: record === null ? null : recordView(record, recorded, matter, look),
    history: historyOf(matter, reports, handovers, measures, look),
    measures: isOpen ? [] : measures.map((one) => measureView(look.t, one, of)),
    objections: await objectionViews(db, matter, measures, sent, look, of.course),
    decision: isOpen ? [] : decisionOf(matter, sent, look),
    form: isOpen ? decideView(matter, form, look, { authorName: author?.name ?? '', rules }) : null,
    handover: handoverOf(matter, sent, look),
    redactionGrounds: REDACTION_GROUNDS,
    redaction: formOf(sent, 'redaction'),
    lifting: sent?.of === 'lifting' ? { measureId: sent.measureId, form: sent.form } : null,
    redactPath:
      may(viewer, 'moderate-forum') && snapshots.some(({ redacted_at: at }) => at === null)
        ? `${casePath(id)}/redaction`
        : null,
  }
  return { course, page }
}

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

function headOf(
  matter: FoundCase,
  measures: readonly MeasureRow[],
  course: Course | null,
  { t, timeZone, now, viewer }: CaseLook,
) {
  const name = authorOf(matter, false, { t, timeZone, now, viewer })?.name ?? t('cases.formerMember')
  const heading = t(`cases.by.${matter.about}`, { name })
  const queue = matter.is_for_admins || course === null ? null : course.slug
  return {
    title: `${heading} · ${t('cases.crumb', { number: matter.id })}`,
    path: casePath(matter.id),
    queue: { path: queuePath(queue), text: t('cases.queue.title') },
    crumb: t('cases.crumb', { number: matter.id }),
    heading,
    isOpen: matter.state === 'open',
    stateText: t(`cases.state.${measures.some(isRemoval) ? 'removed' : matter.state}`),
    reason: t(`reports.reason.${matter.reason}`),
    wait: t('cases.waiting', { time: waitedFor(matter.opened_at, t, now, 'short') }),
    reportsText: matter.reports_count === 0 ? null : t('cases.reports', { count: matter.reports_count }),
    decided:
      matter.decided_at === null
        ? null
        : {
            at: writtenMoment(matter.decided_at, timeZone, t),
            by: matter.decider_name ?? t('cases.formerMember'),
          },
  }
}

function formOf(sent: SentToCase | null, of: SentToCase['of']): FormState {
  return sent?.of === of ? sent.form : freshForm()
}

/** The ids of the controls that the summary of errors leads to. */
function errorsOf(sent: SentToCase | null, { t }: CaseLook) {
  if (sent === null) return []
  const idOf: Readonly<Record<SentToCase['of'], (field: string) => string>> = {
    decision: (field) => (field === 'everywhere' ? 'measure' : field),
    handover: () => 'handover-note',
    redaction: (field) => `redact-${field}`,
    lifting: () => `lift-${sent.measureId}`,
    objection: () => `answer-${sent.measureId}`,
    passing: () => `answer-${sent.measureId}`,
  }
  return sent.form.errors.map(({ field, message }) => ({
    field: idOf[sent.of](field),
    text: t(message.key, message.values),
  }))
}

/** The author as staff see them; null: the account is gone. */
function authorOf(matter: FoundCase, isAnonymous: boolean, { t, viewer }: CaseLook) {
  const { person_id: id, author_name: name, author_role: role, author_left: left } = matter
  if (id === null || name === null || left) return null
  const row = { author_id: id, author_name: name, author_role: role, is_anonymous: isAnonymous }
  const byline = bylineOf({ t, viewer }, row, matter.course_id ?? 0)
  return { byline, name: byline.text }
}

function claimOf(matter: FoundCase, { t, viewer, timeZone }: CaseLook) {
  if (matter.state !== 'open') return null
  const { claimed_by: id, claimer_name: name, claimer_role: role, claimed_until: until } = matter
  if (id === null || name === null || until === null)
    return { isMine: false, byline: null, name: '', until: null } as const
  return {
    isMine: id === viewer.id,
    byline: personByline({ id, displayName: name, role }),
    name,
    until: writtenMoment(until, timeZone, t),
  }
}

function conflictText(matter: FoundCase, sent: SentToCase | null, { t }: CaseLook): string | null {
  if (sent?.isConflict !== true) return null
  if (sent.of !== 'decision') return t(`cases.conflict.${sent.of}`)
  if (matter.state === 'open') return t('cases.conflict.changed')
  return t('cases.conflict.decided', { name: matter.decider_name ?? t('cases.formerMember') })
}

/** What the decision says, and below it what somebody slower typed. */
function decisionOf(matter: FoundCase, sent: SentToCase | null, { t }: CaseLook) {
  const typed = sent?.isConflict === true ? sent.form.typed : {}
  const lines = [
    { key: 'rule', text: matter.rule },
    { key: 'note', text: matter.note },
    { key: 'reporterNote', text: matter.reporter_note },
    { key: 'staffNote', text: matter.staff_note },
    { key: 'unsentNote', text: typed.note ?? '' },
    { key: 'unsentReporterNote', text: typed.reporter_note ?? '' },
    { key: 'unsentStaffNote', text: typed.staff_note ?? '' },
  ]
  return lines.flatMap(({ key, text }) => (text === '' ? [] : [{ label: t(`cases.decision.${key}`), text }]))
}

function handoverOf(matter: FoundCase, sent: SentToCase | null, { viewer }: CaseLook) {
  if (matter.state !== 'open' || matter.course_id === null) return null
  const form = formOf(sent, 'handover')
  if (!matter.is_for_admins) return { to: 'admins', form }
  const canGoBack = may(viewer, 'moderate-forum') && matter.has_handler_in_course
  // With what was typed where the last of the course's staff left while the form was open.
  return canGoBack || form.errors.length > 0 ? { to: 'course', form } : null
}
