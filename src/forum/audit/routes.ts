import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { EVENTS } from '../../kernel/audit/kinds.ts'
import { forbidden } from '../../kernel/problem.ts'
import { may } from '../../kernel/rights/rights.ts'
import { findSiteSettings } from '../../kernel/rights/site-settings.ts'
import { hasMessage, type Translate } from '../../messages/catalogue.ts'
import { writtenMoment } from '../../messages/spoken-moment.ts'
import { isDay } from '../../text/dates.ts'
import { openForm } from '../../web/forms/door.ts'
import { translatorFor } from '../../web/language.ts'
import { contextOf } from '../../web/page.ts'
import { pageLinks, pageRequest } from '../../web/pages.ts'
import { queryParam, textParam } from '../../web/params.ts'
import { coursePath, moderationPath, pathWith, personPath, SECURITY } from '../../web/paths.ts'
import type { PageHead } from '../../web/shell.ts'
import { barOf } from '../courses/course-bar.ts'
import { courseFor } from '../courses/find-course.ts'
import type { Course } from '../courses/queries.ts'
import { dayAfter } from '../figures/periods.ts'
import {
  type AuditRow,
  auditCsv,
  auditForFile,
  listAudit,
  listOwnEvents,
  peopleNamed,
  redactEntry,
} from './entries.ts'

export function registerAudit(app: FastifyInstance): void {
  app.get('/audit', (request, reply) => {
    requireAdmin(request)
    return showAudit(request, reply, null)
  })
  app.get('/audit.csv', (request, reply) => {
    requireAdmin(request)
    return sendFile(request, reply, null)
  })
  app.get('/courses/:course/audit', async (request, reply) =>
    showAudit(request, reply, await courseFor(request, 'see-audit')),
  )
  app.get('/courses/:course/audit.csv', async (request, reply) =>
    sendFile(request, reply, await courseFor(request, 'see-audit')),
  )
  openForm(app, '/audit/:id/redaction', redactEntry, {
    key: () => null,
    input: (request) => ({ entry: textParam(request, 'id') }),
    formPage: () => '/audit',
    done: () => '/audit',
    flash: () => 'audit.flash.redacted',
  })
}

/** @throws Problem 403 for everybody but admins */
function requireAdmin(request: FastifyRequest): void {
  if (!may(request.requirePerson(), 'look-after-forum')) throw forbidden()
}

async function showAudit(request: FastifyRequest, reply: FastifyReply, course: Course | null) {
  return reply.page('audit/index', await auditPage(request, course), await headOf(request, course))
}

export async function auditPage(request: FastifyRequest, course: Course | null) {
  const { db } = request.server
  const t = translatorFor(request)
  const timeZone = zoneOf(request, course)
  const typed = typedFilter(request)
  const filter = await readFilter(request, course?.id ?? null, timeZone)
  const page = await listAudit(db, filter, pageRequest(request, 'time'))
  const path = course === null ? '/audit' : `${coursePath(course.slug)}/audit`
  const asked = Object.fromEntries(Object.entries(typed).map(([name, value]) => [name, value || null]))
  const mayRedact = course === null && may(request.person, 'redact-audit')
  return {
    title: course === null ? t('audit.title') : t('audit.titleOf', { course: course.title }),
    path,
    queue: course === null ? null : { text: t('cases.queue.title'), path: moderationPath(course.slug) },
    csvPath: pathWith(`${path}.csv`, asked),
    typed,
    isFiltered: Object.values(typed).some((value) => value !== ''),
    acts: STAFF_ACTS.map((value) => ({
      value,
      text: actText(t, value),
      selected: value === typed.act,
    })),
    entries: page.rows.map((row) => entryView(t, row, timeZone, mayRedact)),
    isOfForum: course === null,
    months: (await findSiteSettings(db)).auditMonths,
    ...pageLinks(page, ({ id, happened_at }) => ({ value: happened_at.getTime(), id }), path, asked),
  }
}

async function headOf(request: FastifyRequest, course: Course | null): Promise<PageHead> {
  const head = { isForStaff: true, robots: 'noindex' } as const
  if (course === null) return head
  return { ...head, course: course.slug, bar: await barOf(contextOf(request), course, 'moderation', true) }
}

async function sendFile(request: FastifyRequest, reply: FastifyReply, course: Course | null) {
  const filter = await readFilter(request, course?.id ?? null, zoneOf(request, course))
  const name = `${course?.slug ?? 'forum'}-audit.csv`
  return reply
    .type('text/csv; charset=utf-8')
    .header('content-disposition', `attachment; filename*=UTF-8''${encodeURIComponent(name)}`)
    .header('cache-control', 'private, no-store')
    .send(auditCsv(await auditForFile(request.server.db, filter)))
}

function zoneOf(request: FastifyRequest, course: Course | null): string {
  return request.person?.timeZone ?? course?.timeZone ?? request.server.config.timeZone
}

export function registerOwnActivity(app: FastifyInstance): void {
  app.decorate('ownActivity', async (request: FastifyRequest, timeZone: string) => {
    const person = request.requirePerson()
    const t = translatorFor(request)
    const page = await listOwnEvents(app.db, person.id, pageRequest(request, 'time'))
    const links = pageLinks(page, ({ id, happened_at }) => ({ value: happened_at.getTime(), id }), SECURITY)
    const toSection = (path: string | null) => (path === null ? null : `${path}#activity`)
    return {
      entries: page.rows.map((row) => entryView(t, row, timeZone, false)),
      newerPath: toSection(links.newerPath),
      olderPath: toSection(links.olderPath),
    }
  })
}

/** The page of an entry's subject; answers and replies have none of their own. */
const PATHS: Readonly<Record<string, (id: number) => string>> = {
  question: (id) => `/questions/${id}`,
  announcement: (id) => `/announcements/${id}`,
  case: (id) => `/cases/${id}`,
}

const ROLES: readonly string[] = ['learner', 'assistant', 'instructor']

/** An entry of the audit log. `by`: a name, or a word for who has none (any more). */
function entryView(t: Translate, row: AuditRow, timeZone: string, mayRedact: boolean) {
  const { id, act, role, course_slug, course_title, course_language } = row
  const details = Object.entries(row.detail)
  const isFull = row.subject_id !== null || details.length > 0
  return {
    happenedAt: writtenMoment(row.happened_at, timeZone, t),
    by: nameOf(t, row),
    role: t(ROLES.includes(role) ? `members.role.${role}` : `audit.role.${role}`),
    act: actText(t, act),
    about: aboutOf(t, row),
    course:
      course_slug === null || course_title === null || course_language === null
        ? null
        : { text: course_title, path: coursePath(course_slug), lang: course_language },
    details: row.is_redacted
      ? t('audit.redacted')
      : details.map(([field, value]) => detailText(t, field, value)).join(', '),
    redactionPath: mayRedact && isFull ? `/audit/${id}/redaction` : null,
  }
}

function nameOf(t: Translate, { actor_id, actor_name, role }: AuditRow): string {
  if (actor_name !== null) return actor_name
  return actor_id === null ? t(`audit.role.${role}`) : t('audit.former', { id: actor_id })
}

function aboutOf(t: Translate, row: AuditRow) {
  const { subject_kind: kind, subject_id: id, person_name: name } = row
  if (kind === null || id === null) return { text: '', path: null }
  if (kind === 'person')
    return name === null
      ? { text: t('audit.former', { id }), path: null }
      : { text: name, path: personPath({ id, displayName: name }) }
  if (kind === 'course') return { text: row.course_title ?? t('audit.about.course', { id }), path: null }
  return { text: t(`audit.about.${kind}`, { id }), path: PATHS[kind]?.(id) ?? null }
}

/** The action in words. @param act an event of the log */
export function actText(t: Translate, act: string): string {
  const key = act.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
  return t(`audit.act.${key}`)
}

function detailText(t: Translate, field: string, value: string | number | boolean): string {
  const label = t(`audit.detail.${field}`)
  // A provider's own name is none of ours.
  if (field === 'way' && hasMessage(`audit.way.${value}`)) return `${label}: ${t(`audit.way.${value}`)}`
  if (field === 'ground') return `${label}: ${t(`cases.redact.ground.${value}`)}`
  return `${label}: ${field === 'act' ? decisionText(t, String(value)) : valueText(t, value)}`
}

/** Says in words what was decided. @param act of the event `moderated`; each measure that is lifted has its own: `lift-hide` */
function decisionText(t: Translate, act: string): string {
  const key = `audit.decision.${act.startsWith('lift-') ? 'lift' : act}`
  return hasMessage(key) ? t(key) : act
}

function valueText(t: Translate, value: string | number | boolean): string {
  if (typeof value === 'boolean') return t(value ? 'audit.yes' : 'audit.no')
  return ROLES.includes(String(value)) ? t(`members.role.${value}`) : String(value)
}

type TypedFilter = Readonly<Record<(typeof FIELDS)[number], string>>

const FIELDS = ['act', 'actor', 'subject', 'from', 'to'] as const
const MAX_LENGTH = 100

const STAFF_ACTS = Object.entries(EVENTS)
  .filter(([, { audited }]) => audited?.of === 'staff')
  .map(([name]) => name)

/** `question 12`, `case 57`; `#12` is a question. */
const NAMED = /^(question|answer|reply|case|announcement|course|email|person) #?(\d{1,15})$/i

function typedFilter(request: FastifyRequest): TypedFilter {
  const typed = FIELDS.map((name) => [name, (queryParam(request, name) ?? '').trim().slice(0, MAX_LENGTH)])
  return Object.fromEntries(typed) as TypedFilter
}

/** The filter that was typed. What is no act and no date counts as empty; a name that nobody has finds nothing. */
async function readFilter(request: FastifyRequest, courseId: number | null, timeZone: string) {
  const { act, actor, subject, from, to } = typedFilter(request)
  const { db } = request.server
  const people = (typed: string) =>
    /^\d{1,15}$/.test(typed) ? [Number(typed)] : peopleNamed(db, typed.replace(/^@/, ''), courseId)
  return {
    courseId,
    act: STAFF_ACTS.includes(act) ? act : null,
    actorIds: actor === '' ? null : await people(actor),
    subject: subject === '' ? null : await subjectOf(subject, people),
    from: isDay(from) ? from : null,
    until: isDay(to) ? dayAfter(to, 1) : null,
    timeZone,
  }
}

async function subjectOf(typed: string, people: (typed: string) => number[] | Promise<number[]>) {
  const [, kind = '', id = ''] = NAMED.exec(typed) ?? []
  if (kind !== '') return { kind: kind.toLowerCase(), ids: [Number(id)] }
  if (/^#\d{1,15}$/.test(typed)) return { kind: 'question', ids: [Number(typed.slice(1))] }
  if (/^\d{1,15}$/.test(typed)) return { kind: null, ids: [Number(typed)] }
  return { kind: 'person', ids: await people(typed) }
}
