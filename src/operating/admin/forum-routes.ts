import type { FastifyInstance } from 'fastify'
import { email } from '../../accounts/identity/fields.ts'
import { personByline } from '../../forum/authors/byline.ts'
import { RESTORABLE_DAYS } from '../../forum/purging/course-deletion.ts'
import { countJobs, listFailedJobs } from '../../jobs/table.ts'
import { noteEvent } from '../../kernel/audit/note.ts'
import { notFound } from '../../kernel/problem.ts'
import { requireRight } from '../../kernel/require-right.ts'
import { writtenDate, writtenMoment } from '../../messages/spoken-moment.ts'
import { languageOfRequest } from '../../web/appearance.ts'
import { type FormState, form, freshForm } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { listPage } from '../../web/list.ts'
import type { PageContext } from '../../web/page.ts'
import { idParam, queryParam } from '../../web/params.ts'
import { coursePath, courseSettingsPath, membersPath, pathWith } from '../../web/paths.ts'
import { checkAdmins, checkJobs, notedContents } from '../doctor/contents.ts'
import { checkDisk } from '../doctor/disk.ts'
import { checkMigrations, checkServer } from '../doctor/server.ts'
import { checkAddress, checkMailServer } from '../doctor/settings.ts'
import { sendTestMail } from '../test-mail.ts'
import { adminPage } from './nav.ts'
import { jobRetry, signInLinkMaking } from './operations.ts'
import { listAllCourses, showPeople } from './people.ts'

/** Failed jobs that are shown: all of one cause have the same error. */
const MAX_FAILED = 20

export function registerForumAdmin(app: FastifyInstance): void {
  app.get('/admin', (request, reply) => showForum(request, reply))
  app.get('/admin/people', (request, reply) => showPeople(request, reply))
  app.get('/admin/courses', (request, reply) => showCourses(request, reply))
  const testing = { limit: 'mail', needsPerson: true, formPage: () => '/admin' } as const
  // No operation: it changes nothing, and the mail server answers in its own time.
  app.post('/admin/test-mail', { config: testing }, async (request, reply) => {
    requireRight(request.person, 'look-after-forum', null)
    const form = testMailForm.parse(request.body)
    if (!form.ok) return showForum(request, reply.code(422), form)
    const [secret] = app.secretKeys
    const result = await sendTestMail(app.config, secret, form.values.email, languageOfRequest(request))
    if (result === null) throw notFound()
    noteEvent(request, 'test-mail-sent', { isAccepted: result.isAccepted })
    return showForum(request, reply, form, result)
  })

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

export const showLink = adminPage(
  'admin/link',
  '/admin/people',
  ({ t }, made: { readonly link: string; readonly name: string; readonly isConfirmed: boolean }) => ({
    title: t('admin.link.title'),
    ...made,
  }),
)

const testMailForm = form({ email: email() })

/** `testMail`: the form that sends a test mail; null: there is no mail server. */
export const showForum = adminPage(
  'admin/index',
  '/admin',
  async (context, sent?: FormState, result: Awaited<ReturnType<typeof sendTestMail>> = null) => {
    const { t, formFields, db, config } = context
    const [findings, waiting, failed] = await Promise.all([
      findState(context),
      countJobs(db),
      listFailedJobs(db, MAX_FAILED),
    ])
    const form = sent ?? freshForm({ email: context.person().email ?? '' })
    return {
      title: t('admin.title'),
      findings,
      waiting,
      failed,
      testMail: config.smtpUrl === null ? null : { form, result, host: new URL(config.smtpUrl).host },
      fields: formFields('signIn', testMailForm.fields, form, { email: { autocomplete: 'email' } }),
    }
  },
)

export const showCourses = adminPage('admin/courses', '/admin/courses', async (context) => {
  const { t, db } = context
  const search = queryParam(context, 'q')
  const timeZone = await context.timeZone()
  const path = pathWith('/admin/courses', { q: search })
  const listed = await listPage(context, path, 'count', (asked) => listAllCourses(db, search, asked))
  return {
    title: t('admin.courses.title'),
    search: search ?? '',
    courses: listed.rows.map((course) => ({
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
      settingsPath: courseSettingsPath(course.slug),
      membersPath: membersPath(course.slug),
    })),
    ...listed.links,
  }
})

/**
 * The state of the forum as `handup doctor` sees it, but for what takes long or needs the command line: the
 * counters, other clusters. What grows with the forum is as it was found last. `checked`: when it was found;
 * null: just now.
 */
async function findState({ t, db, config, timeZone: timeZoneOf }: PageContext) {
  const [timeZone, noted, ...findings] = await Promise.all([
    timeZoneOf(),
    notedContents(db),
    checkServer(db),
    checkMigrations(db),
    checkAdmins(db),
    checkMailServer(config),
    checkJobs(db, config),
    checkDisk(config.dataDir),
  ])
  const fresh = [checkAddress(config), ...findings.flat()].map((finding) => ({ finding, checkedAt: null }))
  return [...fresh, ...noted].map(({ finding: { state, words }, checkedAt }) => ({
    check: t(words.check),
    state,
    says: t(words.says.key, words.says.values),
    advice: words.advice === null ? null : t(words.advice.key, words.advice.values),
    checked: checkedAt === null ? null : writtenMoment(checkedAt, timeZone, t),
  }))
}
