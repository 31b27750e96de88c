import { caseOf, decided, reported } from '../src/forum/cases/testing.ts'
import { personPath } from '../src/web/paths.ts'
import type { Forum } from './forum.ts'
import { page, type Shown } from './shown.ts'
import type { World } from './world.ts'

/** Pages of reports, cases, the audit log and providers to sign in with. */
export const MODERATION_PAGES: readonly Shown[] = [
  page('a question to report', ({ question }) => `/questions/${question.id}/reports`),
  page('an answer to report', ({ answer }) => `/answers/${answer.id}/reports`, { reader: 'asker' }),
  page('a person to report', ({ asker }) => `${personPath(asker).replace(/\/[^/]*$/, '')}/reports`, {
    reader: 'stranger',
  }),
  page('a case to open', ({ question }) => `/questions/${question.id}/cases`, { reader: 'instructor' }),
  page(
    'cases of a course',
    async (world, forum) => {
      await aCase(world, forum)
      return `/courses/${world.course.slug}/moderation`
    },
    { reader: 'instructor' },
  ),
  page('decided cases of a course', ({ course }) => `/courses/${course.slug}/moderation?view=decided`, {
    reader: 'instructor',
  }),
  page('cases of the forum', () => '/moderation', { reader: 'admin' }),
  page('a case', async (world, forum) => `/cases/${(await aCase(world, forum)).id}`, {
    reader: 'instructor',
  }),
  page('a decided case', aDecidedCase, { reader: 'instructor' }),
  page(
    'what was decided about them',
    async (world, forum) => {
      await aDecidedCase(world, forum)
      return '/settings/standing'
    },
    { reader: 'asker' },
  ),
  page('the rules, for admins', () => '/admin/pages/rules?language=en', { reader: 'admin' }),
  page('the audit log', () => '/audit', { reader: 'admin' }),
  page('the audit log of a course', ({ course }) => `/courses/${course.slug}/audit`, {
    reader: 'instructor',
  }),
  page('a person, for admins', ({ asker }) => `/admin/people/${asker.id}`, { reader: 'admin' }),
  page('all posts of a person to delete', ({ asker }) => `/people/${asker.id}/posts/deletion?course=`, {
    reader: 'admin',
  }),
  page(
    'two accounts to merge',
    ({ asker, stranger }) => `/admin/people/${asker.id}/merge?other=${stranger.id}`,
    { reader: 'admin' },
  ),
  page('providers to sign in with', () => '/admin/sign-in', { reader: 'admin' }),
  page('how they sign in', () => '/settings/security', { reader: 'asker' }),
]

async function aCase({ reported: question }: World, { db }: Forum) {
  const subject = { about: 'question', id: question.id } as const
  await reported(db, subject, null, { note: 'W'.repeat(80) })
  return caseOf(db, subject)
}

async function aDecidedCase(world: World, forum: Forum): Promise<string> {
  const matter = await aCase(world, forum)
  await decided(forum.db, world.instructor.id, matter, ['warn', 'hide'], {
    note: 'W'.repeat(80),
    rule: '1. Be kind',
  })
  return `/cases/${matter.id}`
}
