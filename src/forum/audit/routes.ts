import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { EVENTS } from '../../kernel/audit/kinds.ts'
import { forbidden } from '../../kernel/problem.ts'
import { may } from '../../kernel/rights/rights.ts'
import { findSiteSettings } from '../../kernel/rights/site-settings.ts'
import { hasMessage, type Translate } from '../../messages/catalogue.ts'
import { writtenMoment } from '../../messages/spoken-moment.ts'
import { isDay } from '../../text/dates.ts'
import { openForm } from '../../web/forms/door.ts'
import { listPage } from '../../web/list.ts'
import { contextOf, type PageContext, page } from '../../web/page.ts'
import { queryParam, textParam } from '../../web/params.ts'
import { coursePath, moderationPath, pathWith, personPath, SECURITY } from '../../web/paths.ts'
import { headIn, zoneIn } from '../courses/course-page.ts'
import { courseFor } from '../courses/find-course.ts'
import type { Course } from '../courses/queries.ts'
import { dayAfter } from '../figures/periods.ts'
import { type AuditRow, auditCsv, listAudit, listOwnEvents, peopleNamed, redactEntry } from './entries.ts'

export function registerAudit(app: FastifyInstance): void {
  const inCourse = (request: FastifyRequest) => courseFor(request, 'see-audit')
  app.get('/audit', (request, reply) => showAudit(request, reply, ofForum(request)))
  app.get('/audit.csv', (request, reply) => sendFile(request, reply, ofForum(request)))
  app.get('/courses/:course/audit', async (request, reply) =>
    showAudit(request, reply, await inCourse(request)),
  )
  app.get('/courses/:course/audit.csv', async (request, reply) =>
    sendFile(request, reply, await inCourse(request)),
  )
  openForm(app, '/audit/:id/redaction', redactEntry, {
    key: () => null,
    input: (request) => ({ entry: textParam(request, 'id') }),
    formPage: () => '/audit',
    done: () => '/audit',
    flash: () => 'audit.flash.redacted',
  })
}

/** No course: the log of the whole forum. @throws Problem 403 for everybody but admins */
function ofForum(request: FastifyRequest): null {
  if (!may(request.requirePerson(), 'look-after-forum')) throw forbidden()
  return null
}

const HEAD = { isForStaff: true, robots: 'noindex' } as const

export const showAudit = page('audit/index', HEAD, async (context, course: Course | null) => {
  const { t, db } = context
  const { typed, ...filter } = await readFilter(context, course)
  const path = course === null ? '/audit' : `${coursePath(course.slug)}/audit`
  const kept = Object.fromEntries(Object.entries(typed).map(([name, value]) => [name, value || null]))
  const acts = await listPage(context, pathWith(path, kept), 'time', (asked) => listAudit(db, filter, asked))
  const mayRedact = course === null && may(context.viewer, 'redact-audit')
  return {
    title: course === null ? t('audit.title') : t('audit.titleOf', { course: course.title }),
    path,
    queue: course === null ? null : { text: t('cases.queue.title'), path: moderationPath(course.slug) },
    csvPath: pathWith(`${path}.csv`, kept),
    typed,
    isFiltered: Object.values(typed).some((value) => value !== ''),
    acts: STAFF_ACTS.map((value) => ({ value, text: actText(t, value), selected: value === typed.act })),
    entries: acts.rows.map((row) => entryView(t, row, filter.timeZone, mayRedact)),
    isOfForum: course === null,
    months: (await findSiteSettings(db)).auditMonths,
    ...acts.links,
    head: await headIn(context, course, 'moderation', true),
  }
})

async function sendFile(request: FastifyRequest, reply: FastifyReply, course: Course | null) {
  const filter = await readFilter(contextOf(request), course)
  const name = `${course?.slug ?? 'forum'}-audit.csv`
  return reply
    .type('text/csv; charset=utf-8')
    .header('content-disposition', `attachment; filename*=UTF-8''${encodeURIComponent(name)}`)
    .header('cache-control', 'private, no-store')
    .send(await auditCsv(request.server.db, filter))
}

export function registerOwnActivity(app: FastifyInstance): void {
  app.decorate('ownActivity', async (context: PageContext, timeZone: string) => {
    const { id } = context.person()
    const events = await listPage(context, SECURITY, 'time', (asked) => listOwnEvents(app.db, id, asked))
    const toSection = (path: string | null) => (path === null ? null : `${path}#activity`)
    return {
      entries: events.rows.map((row) => entryView(context.t, row, timeZone, false)),
      newerPath: toSection(events.links.newerPath),
      olderPath: toSection(events.links.olderPath),
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
  if (field === 'heldFor') return `${label}: ${t(`held.for.${value}`)}`
  if (field === 'sentAt') return `${label}: ${minuteText(Number(value))}`
  if (field === 'ground') return `${label}: ${t(`cases.redact.ground.${value}`)}`
  return `${label}: ${field === 'act' ? decisionText(t, String(value)) : valueText(t, value)}`
}

/** A time in milliseconds as the log has times, in UTC. */
const minuteText = (at: number) => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`

/** Says in words what was decided. @param act of the event `moderated`; each measure that is lifted has its own: `lift-hide` */
function decisionText(t: Translate, act: string): string {
  const key = `audit.decision.${act.startsWith('lift-') ? 'lift' : act}`
  return hasMessage(key) ? t(key) : act
}

function valueText(t: Translate, value: string | number | boolean): string {
  if (typeof value === 'boolean') return t(value ? 'audit.yes' : 'audit.no')
  return ROLES.includes(String(value)) ? t(`members.role.${value}`) : String(value)
}

const MAX_LENGTH = 100

const STAFF_ACTS = Object.entries(EVENTS)
  .filter(([, { audited }]) => audited?.of === 'staff')
  .map(([name]) => name)

/** `question 12`, `case 57`; `#12` is a question. */
const NAMED = /^(question|answer|reply|case|announcement|course|email|person) #?(\d{1,15})$/i

/** The filter that was typed. What is no act and no date counts as empty; a name that nobody has finds nothing. */
async function readFilter({ db, config, viewer, query }: PageContext, course: Course | null) {
  const field = (name: string) => (queryParam({ query }, name) ?? '').trim().slice(0, MAX_LENGTH)
  const [act, actor, subject] = [field('act'), field('actor'), field('subject')]
  const [from, to] = [field('from'), field('to')]
  const courseId = course?.id ?? null
  const people = (typed: string) =>
    /^\d{1,15}$/.test(typed) ? [Number(typed)] : peopleNamed(db, typed.replace(/^@/, ''), courseId)
  return {
    typed: { act, actor, subject, from, to },
    courseId,
    act: STAFF_ACTS.includes(act) ? act : null,
    actorIds: actor === '' ? null : await people(actor),
    subject: subject === '' ? null : await subjectOf(subject, people),
    from: isDay(from) ? from : null,
    until: isDay(to) ? dayAfter(to, 1) : null,
    timeZone: zoneIn({ viewer, config }, course),
  }
}

async function subjectOf(typed: string, people: (typed: string) => number[] | Promise<number[]>) {
  const [, kind = '', id = ''] = NAMED.exec(typed) ?? []
  if (kind !== '') return { kind: kind.toLowerCase(), ids: [Number(id)] }
  if (/^#\d{1,15}$/.test(typed)) return { kind: 'question', ids: [Number(typed.slice(1))] }
  if (/^\d{1,15}$/.test(typed)) return { kind: null, ids: [Number(typed)] }
  return { kind: 'person', ids: await people(typed) }
}
