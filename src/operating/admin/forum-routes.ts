import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { email } from '../../accounts/identity/fields.ts'
import type { Config } from '../../config.ts'
import type { Database } from '../../database/schema.ts'
import { personByline } from '../../forum/authors/byline.ts'
import { RESTORABLE_DAYS } from '../../forum/purging/course-deletion.ts'
import { countJobs, listFailedJobs } from '../../jobs/table.ts'
import { noteEvent } from '../../kernel/audit/note.ts'
import { forbidden, notFound } from '../../kernel/problem.ts'
import type { Person } from '../../kernel/rights/person.ts'
import { may } from '../../kernel/rights/rights.ts'
import type { Translate } from '../../messages/catalogue.ts'
import { writtenDate, writtenMoment } from '../../messages/spoken-moment.ts'
import type { Moment } from '../../text/moment.ts'
import { type FormState, form, freshForm } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { languageOfRequest, translatorFor } from '../../web/language.ts'
import { contextOf } from '../../web/page.ts'
import { pageLinks, pageRequest } from '../../web/pages.ts'
import { idParam, queryParam } from '../../web/params.ts'
import { coursePath, courseSettingsPath, membersPath } from '../../web/paths.ts'
import { checkAdmins, checkJobs, notedContents } from '../doctor/contents.ts'
import { checkDisk } from '../doctor/disk.ts'
import type { WordedFinding } from '../doctor/finding.ts'
import { checkMigrations, checkServer } from '../doctor/server.ts'
import { checkAddress, checkMailServer } from '../doctor/settings.ts'
import { sendTestMail } from '../test-mail.ts'
import { ADMIN_HEAD, adminNav } from './nav.ts'
import { jobRetry, signInLinkMaking } from './operations.ts'
import { type AdminCourse, listAllCourses, showPeople } from './people.ts'

/** Failed jobs that are shown: all of one cause have the same error. */
const MAX_FAILED = 20

export function registerForumAdmin(app: FastifyInstance, secret: string): void {
  app.get('/admin', (request, reply) => {
    const admin = requireAdmin(request)
    return showForum(request, reply, freshForm({ email: admin.email ?? '' }))
  })
  const testing = { limit: 'mail', needsPerson: true, formPage: () => '/admin' } as const
  // No operation: it changes nothing, and the mail server answers in its own time.
  app.post('/admin/test-mail', { config: testing }, async (request, reply) => {
    requireAdmin(request)
    const form = testMailForm.parse(request.body)
    if (!form.ok) return showForum(request, reply, form, null, 422)
    const result = await sendTestMail(app.config, secret, form.values.email, languageOfRequest(request))
    if (result === null) throw notFound()
    noteEvent(request, 'test-mail-sent', { isAccepted: result.isAccepted })
    return showForum(request, reply, form, result)
  })
  app.get('/admin/people', async (request, reply) => {
    requireAdmin(request)
    return showPeople(request, reply)
  })
  app.get('/admin/courses', showCourses)

  openForm(app, '/admin/jobs/:id/retry', jobRetry, {
    key: () => null,
    formPage: () => '/admin',
    input: (request) => ({ job: idParam(request, 'id') }),
    shown: (_, __, kind) => app.jobs.wake(kind),
    done: () => '/admin',
    flash: () => 'admin.jobs.flash',
  })
  openForm(app, '/admin/people/:id/link', signInLinkMaking, {
    key: (request) => idParam(request, 'id'),
    formPage: () => '/admin/people',
    done: () => '/admin/people',
    shown: showLink,
  })
}

type MadeLink = { readonly link: string; readonly name: string; readonly isConfirmed: boolean }

export function showLink(request: FastifyRequest, reply: FastifyReply, made: MadeLink) {
  const title = translatorFor(request)('admin.link.title')
  return reply.page(
    'admin/link',
    { title, ...adminNav(contextOf(request), '/admin/people'), ...made },
    ADMIN_HEAD,
  )
}

const testMailForm = form({ email: email() })

export async function showForum(
  request: FastifyRequest,
  reply: FastifyReply,
  form: FormState,
  result: Awaited<ReturnType<typeof sendTestMail>> = null,
  status = 200,
) {
  const { db, config } = request.server
  const t = translatorFor(request)
  const [findings, waiting, failed] = await Promise.all([
    findState(db, config, t, await request.server.timeZoneFor(request)),
    countJobs(db),
    listFailedJobs(db, MAX_FAILED),
  ])
  // The form that sends a test mail; null: there is no mail server.
  const host = config.smtpUrl === null ? null : new URL(config.smtpUrl).host
  const testMail = host === null ? null : { form, result, host }
  return reply.page(
    'admin/index',
    {
      title: t('admin.title'),
      ...adminNav(contextOf(request), '/admin'),
      findings,
      waiting,
      failed,
      testMail,
    },
    { ...ADMIN_HEAD, status },
  )
}

export async function showCourses(request: FastifyRequest, reply: FastifyReply) {
  requireAdmin(request)
  const search = queryParam(request, 'q')
  const timeZone = await request.server.timeZoneFor(request)
  const t = translatorFor(request)
  const page = await listAllCourses(request.server.db, search, pageRequest(request, 'count'))
  return reply.page(
    'admin/courses',
    {
      title: t('admin.courses.title'),
      ...adminNav(contextOf(request), '/admin/courses'),
      search: search ?? '',
      courses: page.rows.map((course) => courseRow(course, timeZone, t)),
      ...pageLinks(page, ({ id }) => ({ value: 0, id }), '/admin/courses', { q: search }),
    },
    ADMIN_HEAD,
  )
}

function courseRow(course: AdminCourse, timeZone: string, t: Translate) {
  return {
    text: course.title,
    path: coursePath(course.slug),
    lang: course.language,
    isPrivate: !course.is_public,
    isArchived: course.archived_at !== null,
    membersCount: course.members_count,
    questionsCount: course.questions_count,
    teachers: course.teachers.map(({ id, display_name: displayName, role }) =>
      personByline({ id, displayName, role }),
    ),
    // The last day on which it can be restored; null: it is not deleted.
    restorableUntil:
      course.deleted_at === null
        ? null
        : writtenDate(new Date(course.deleted_at.getTime() + RESTORABLE_DAYS * 86_400_000), timeZone, t),
    adminPath: coursePath(course.slug),
    settingsPath: courseSettingsPath(course.slug),
    membersPath: membersPath(course.slug),
  }
}

/** @throws Problem 403 for everybody but admins */
function requireAdmin(request: FastifyRequest): Person {
  const person = request.requirePerson()
  if (!may(person, 'look-after-forum')) throw forbidden()
  return person
}

/**
 * The state of the forum as `handup doctor` sees it, but for what takes long or needs the command line: the counters, other clusters.
 * What grows with the forum is as it was found last.
 * @param timeZone the reader's
 */
async function findState(db: Database, config: Config, t: Translate, timeZone: string) {
  const [noted, ...findings] = await Promise.all([
    notedContents(db),
    checkServer(db),
    checkMigrations(db),
    checkAdmins(db),
    checkMailServer(config),
    checkJobs(db, config),
    checkDisk(config.dataDir),
  ])
  return [
    ...[checkAddress(config), ...findings.flat()].map((finding) => stateLine(finding, t)),
    ...noted.map(({ finding, checkedAt }) =>
      stateLine(finding, t, checkedAt === null ? null : writtenMoment(checkedAt, timeZone, t)),
    ),
  ]
}

function stateLine(
  { state, words: { check, says, advice } }: WordedFinding,
  t: Translate,
  checked: Moment | null = null,
) {
  return {
    check: t(check),
    state,
    says: t(says.key, says.values),
    advice: advice === null ? null : t(advice.key, advice.values),
    // When it was found; null: just now.
    checked,
  }
}
