import { caseOf, decided, reported } from '../src/forum/cases/testing.ts'
import { anAnswer, aQuestion } from '../src/testing/builders.ts'
import { setRows } from '../src/testing/rows.ts'
import { personPath } from '../src/web/paths.ts'
import type { Forum } from './forum.ts'
import { by, page, type Shown } from './shown.ts'
import type { World } from './world.ts'

/** Pages of reports, cases, the audit log and providers to sign in with. */
export const MODERATION_PAGES: readonly Shown[] = [
  page('a question to report', ({ question }) => `/questions/${question.id}/reports`),
  ...by(
    'asker',
    page('an answer to report', ({ answer }) => `/answers/${answer.id}/reports`),
    page('what was decided about them', async (world, forum) => {
      await aDecidedCase(world, forum)
      return '/settings/standing'
    }),
    page('how they sign in', () => '/settings/security'),
  ),
  ...by(
    'instructor',
    page('a case to open', ({ question }) => `/questions/${question.id}/cases`),
    page('cases of a course', async (world, forum) => {
      await aCase(world, forum)
      return `/courses/${world.course.slug}/moderation`
    }),
    page('decided cases of a course', ({ course }) => `/courses/${course.slug}/moderation?view=decided`),
    page('held posts of a course', async (world, forum) => {
      await aHeldAnswer(world, forum)
      return `/courses/${world.course.slug}/moderation?view=held`
    }),
    page(
      'a held post to reject',
      async (world, forum) => `/answers/${await aHeldAnswer(world, forum)}/rejection`,
    ),
    page('held posts to reject together', async (world, forum) => {
      const id = await aHeldAnswer(world, forum)
      return `/courses/${world.course.slug}/moderation/bulk?act=reject&post=answer-${id}`
    }),
    page('cases to decide together', async (world, forum) => {
      const { id } = await aCase(world, forum)
      return `/courses/${world.course.slug}/moderation/bulk?act=decline&case=${id}`
    }),
    page('a case', async (world, forum) => `/cases/${(await aCase(world, forum)).id}`),
    page('a decided case', aDecidedCase),
    page('the audit log of a course', ({ course }) => `/courses/${course.slug}/audit`),
  ),
  ...by(
    'stranger',
    page('a person to report', ({ asker }) => `${personPath(asker).replace(/\/[^/]*$/, '')}/reports`),
  ),
  ...by(
    'admin',
    page('cases of the forum', () => '/moderation'),
    page('the rules, for admins', () => '/admin/pages/rules?language=en'),
    page('the audit log', () => '/audit'),
    page('a person, for admins', ({ asker }) => `/admin/people/${asker.id}`),
    page('a person to suspend', ({ asker }) => `/people/${asker.id}/suspension?course=`),
    page('all posts of a person to delete', ({ asker }) => `/people/${asker.id}/posts/deletion?course=`),
    page('a spammer to mark', ({ asker }) => `/people/${asker.id}/spammer`),
    page(
      'two accounts to merge',
      ({ asker, stranger }) => `/admin/people/${asker.id}/merge?other=${stranger.id}`,
    ),
    page('providers to sign in with', () => '/admin/sign-in'),
  ),
]

/** Below a question of its own: the world's reported one may be hidden by then. */
async function aHeldAnswer({ course, asker, stranger: author }: World, { db }: Forum): Promise<number> {
  const question = await aQuestion(db, { course, author: asker, title: 'W'.repeat(150) })
  const { id } = await anAnswer(db, { question, author, body: 'W'.repeat(80) })
  await setRows(db, 'answers', id, { held_at: new Date(), held_for: 'same-text' })
  return id
}

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
