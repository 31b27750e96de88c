import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  aReceiver,
  aWebhook,
  deliver,
  everythingHappens,
  POST_EVENTS,
  passWebhookTime,
} from '../../forum/webhooks/testing.ts'
import { differencesBetween, everythingSeen, type Looking, withoutChance } from './differences-testing.ts'

test('what a webhook without names is told is the same whether who is anonymous was seen before or not', async (t) => {
  const look = async ({ db, seen }: Looking) => {
    const owner = await db
      .selectFrom('people')
      .select('id')
      .where('display_name', '=', 'Teacher')
      .executeTakeFirstOrThrow()
    const { id: course_id } = await db.selectFrom('courses').select('id').executeTakeFirstOrThrow()
    const receivers = [await aReceiver(t), await aReceiver(t)]
    const [program, chat] = receivers.map(({ url }) => ({ url, owner, course_id }))
    if (program === undefined || chat === undefined) return assert.fail()
    await aWebhook(db, { ...program, types: POST_EVENTS })
    await aWebhook(db, { ...chat, kind: 'discord', chat: ['new'] })
    await everythingHappens(db, 'course')
    for (let minutes = 0; minutes < 3; minutes += 1) {
      await deliver(db)
      await passWebhookTime(db, '2 minutes')
    }
    seen.clear()
    for (const { received } of receivers)
      for (const { body } of received) seen.set(`webhook ${seen.size}`, withoutChance(body))
  }
  const seen = await everythingSeen(t, 'seen', look)
  assert.ok([...seen.values()].filter((body) => body.includes('Anonymous 1')).length > 3)
  assert.deepEqual(differencesBetween(seen, await everythingSeen(t, 'unseen', look)), [])
})
