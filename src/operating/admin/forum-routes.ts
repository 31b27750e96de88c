import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { email } from '../../accounts/identity/fields.ts'
import { readerTimeZone } from '../../accounts/settings/reader-time-zone.ts'
import type { Config } from '../../config.ts'
import type { Database, Language } from '../../database/schema.ts'
import { type Byline, personByline } from '../../forum/authors/byline.ts'
import { RESTORABLE_DAYS } from '../../forum/purging/course-deletion.ts'
import { countJobs, type FailedJob, listFailedJobs, type Waiting } from '../../jobs/table.ts'
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
import { type PageLinks, pageLinks, pageRequest } from '../../web/pages.ts'
import { idParam, queryParam } from '../../web/params.ts'
import { coursePath, courseSettingsPath, membersPath } from '../../web/paths.ts'
import { checkAdmins, checkJobs, notedContents } from '../doctor/contents.ts'
import { checkDisk } from '../doctor/disk.ts'
import type { State, WordedFinding } from '../doctor/finding.ts'
import { checkMigrations, checkServer } from '../doctor/server.ts'
import { checkAddress, checkMailServer } from '../doctor/settings.ts'
import { sendTestMail, type TestMail } from '../test-mail.ts'
import { ADMIN_HEAD, adminNav, type InAdmin } from './nav.ts'
import { jobRetry, signInLinkMaking } from './operations.ts'
import { type AdminCourse, listAllCourses, showPeople } from './people.ts'

interface ForumPage extends InAdmin {
  readonly findings: readonly StateLine[]
  readonly waiting: readonly Waiting[]
  readonly failed: readonly FailedJob[]
  /** The form that sends a test mail; null: there is no mail server. */
  readonly testMail: {
    readonly form: FormState
    readonly result: TestMail | null
    readonly host: string
  } | null
}

interface LinkPage extends InAdmin {
  readonly link: string
  readonly name: string
  readonly isConfirmed: boolean
}

interface AdminCourses extends InAdmin, PageLinks {
  readonly search: string
  readonly courses: readonly {
    readonly text: string
    readonly path: string
    readonly lang: Language
    readonly isPrivate: boolean
    readonly isArchived: boolean
    readonly membersCount: number
    readonly questionsCount: number
    readonly teachers: readonly Byline[]
    readonly settingsPath: string
    /** The last day on which it can be restored; null: it is not deleted. */
    readonly restorableUntil: Moment | null
    readonly adminPath: string
    readonly membersPath: string
  }[]
}

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
    shown: (request, reply, made) => {
      const title = translatorFor(request)('admin.link.title')
      return reply.page<LinkPage>(
        'admin/link',
        { title, ...adminNav(request, '/admin/people'), ...made },
        ADMIN_HEAD,
      )
    },
  })
}

const testMailForm = form({ email: email() })

async function showForum(
  request: FastifyRequest,
  reply: FastifyReply,
  form: FormState,
  result: TestMail | null = null,
  status = 200,
) {
  const { db, config } = request.server
  const t = translatorFor(request)
  const [findings, waiting, failed] = await Promise.all([
    findState(db, config, t, await readerTimeZone(request)),
    countJobs(db),
    listFailedJobs(db, MAX_FAILED),
  ])
  const host = config.smtpUrl === null ? null : new URL(config.smtpUrl).host
  const testMail = host === null ? null : { form, result, host }
  return reply.page<ForumPage>(
    'admin/index',
    { title: t('admin.title'), ...adminNav(request, '/admin'), findings, waiting, failed, testMail },
    { ...ADMIN_HEAD, status },
  )
}

async function showCourses(request: FastifyRequest, reply: FastifyReply) {
  requireAdmin(request)
  const search = queryParam(request, 'q')
  const timeZone = await readerTimeZone(request)
  const t = translatorFor(request)
  const page = await listAllCourses(request.server.db, search, pageRequest(request, 'count'))
  return reply.page<AdminCourses>(
    'admin/courses',
    {
      title: t('admin.courses.title'),
      ...adminNav(request, '/admin/courses'),
      search: search ?? '',
      courses: page.rows.map((course) => courseRow(course, timeZone, t)),
      ...pageLinks(page, ({ id }) => ({ value: 0, id }), '/admin/courses', { q: search }),
    },
    ADMIN_HEAD,
  )
}

function courseRow(course: AdminCourse, timeZone: string, t: Translate): AdminCourses['courses'][number] {
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

/** One line of the forum's state: views/admin/index.eta. */
interface StateLine {
  readonly check: string
  readonly state: State
  readonly says: string
  readonly advice: string | null
  /** When it was found; null: just now. */
  readonly checked: Moment | null
}

/**
 * The state of the forum as `handup doctor` sees it, but for what takes long or needs the command line: the counters, other clusters.
 * What grows with the forum is as it was found last.
 * @param timeZone the reader's
 */
async function findState(db: Database, config: Config, t: Translate, timeZone: string): Promise<StateLine[]> {
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
): StateLine {
  return {
    check: t(check),
    state,
    says: t(says.key, says.values),
    advice: advice === null ? null : t(advice.key, advice.values),
    checked,
  }
}
