import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { forbidden } from '../../operations/problem.ts'
import { may } from '../../rights/rights.ts'
import { findSiteSettings } from '../../rights/site-settings.ts'
import { openForm } from '../../web/forms/door.ts'
import { translatorFor } from '../../web/language.ts'
import { type PageLinks, pageLinks, pageRequest } from '../../web/pages.ts'
import { textParam } from '../../web/params.ts'
import { coursePath, type Link, moderationPath, pathWith, SECURITY } from '../../web/paths.ts'
import type { PageHead } from '../../web/shell.ts'
import { barOf } from '../courses/course-bar.ts'
import { courseFor } from '../courses/find-course.ts'
import type { Course } from '../courses/queries.ts'
import { auditCsv, auditForFile, listAudit, listOwnEvents, redactEntry } from './entries.ts'
import { readFilter, STAFF_ACTS, type TypedFilter, typedFilter } from './filter.ts'
import { actText, type EntryView, entryView } from './view.ts'

/** views/audit/index.eta */
interface AuditPage extends PageLinks {
  readonly path: string
  /** The cases of the course; null: the log is the whole forum's. */
  readonly queue: Link | null
  readonly csvPath: string
  readonly typed: TypedFilter
  readonly isFiltered: boolean
  readonly acts: readonly { readonly value: string; readonly text: string; readonly selected: boolean }[]
  readonly entries: readonly EntryView[]
  /** Entries are of several courses. */
  readonly isOfForum: boolean
  /** Months until entries are deleted. */
  readonly months: number
}

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
  const { db } = request.server
  const t = translatorFor(request)
  const timeZone = zoneOf(request, course)
  const typed = typedFilter(request)
  const filter = await readFilter(request, course?.id ?? null, timeZone)
  const page = await listAudit(db, filter, pageRequest(request, 'time'))
  const path = course === null ? '/audit' : `${coursePath(course.slug)}/audit`
  const asked = Object.fromEntries(Object.entries(typed).map(([name, value]) => [name, value || null]))
  const mayRedact = course === null && may(request.person, 'redact-audit')
  return reply.page<AuditPage>(
    'audit/index',
    {
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
    },
    await headOf(request, course),
  )
}

async function headOf(request: FastifyRequest, course: Course | null): Promise<PageHead> {
  const head = { isForStaff: true, robots: 'noindex' } as const
  if (course === null) return head
  return { ...head, course: course.slug, bar: await barOf(request, course, 'moderation', true) }
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
