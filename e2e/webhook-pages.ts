import { sql } from 'kysely'
import { addWebhookRow } from '../src/forum/webhooks/row-testing.ts'
import { aPerson } from '../src/testing/builders.ts'
import { setRows } from '../src/testing/rows.ts'
import type { Forum } from './forum.ts'
import { once } from './once.ts'
import { setPassword } from './refused-pages.ts'
import { by, page, refused, type Shown } from './shown.ts'
import type { World } from './world.ts'

const listOf = ({ course }: World) => `/courses/${course.slug}/settings/webhooks`

/** Pages of a course's webhooks. */
export const WEBHOOK_PAGES: readonly Shown[] = [
  ...by(
    'instructor',
    page('the webhooks of a course', async (world, forum) => {
      await aLongOne(world, forum)
      return listOf(world)
    }),
    page('a webhook for a chat to make', (world) => `${listOf(world)}?kind=teams`),
    refused(
      'a webhook for a program that is refused',
      (world) => `${listOf(world)}?kind=standard`,
      '/settings/webhooks',
    ),
    page('a webhook with its deliveries', async (world, forum) => {
      await setPassword(world.instructor, forum.db)
      return `${listOf(world)}/${await aLongOne(world, forum)}`
    }),
    page('a webhook whose owner is gone', async (world, forum) => {
      const { id: ownerId } = await aPerson(forum.db)
      const id = await addWebhookRow(forum.db, { courseId: world.course.id, ownerId })
      return `${listOf(world)}/${id}`
    }),
  ),
]

/** One with a wide address, and deliveries of every outcome. */
const aLongOne = once(async ({ course, instructor }: World, { db }: Forum): Promise<number> => {
  const address = `https://${'wide-name-'.repeat(6)}.${'of-a-host-'.repeat(6)}.example/${'x'.repeat(80)}`
  const id = await addWebhookRow(db, { courseId: course.id, ownerId: instructor.id, address })
  await setRows(db, 'webhooks', id, { stopped: 'failing', stopped_at: new Date(), told_at: new Date() })
  await sql`insert into webhook_deliveries (webhook_id, message_id, what, due_at, tries, outcome, done_at)
    select ${id}, 'msg_wide_' || ${id} || '_' || n, 'test', now(), n % 2, (array['unreachable', '500', 'dropped', null])[1 + n % 4],
      case when n % 4 = 2 then now() end from generate_series(1, 8) as n`.execute(db)
  return id
})
