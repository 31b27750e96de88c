import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { Webhook } from 'standardwebhooks'
import type { Ending } from '../../testing/at-end.ts'
import { aPerson, aQuestion } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { rowOf, setRows, valuesOf } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { suspend } from '../cases/acts-on-people.ts'
import {
  asked,
  aTestDelivery,
  aToldCourse,
  deliver,
  deliveriesOf,
  passWebhookTime,
  type Received,
  WEBHOOK_SECRET,
  type WebhookOptions,
} from './testing.ts'

suite('sending what webhooks tell', () => {
  const forum = sharedForum()

  async function aTold(t: Ending, more: Partial<WebhookOptions> = {}) {
    const types = ['question.created', 'question.removed']
    const told = await aToldCourse(t, forum.db, { types, ...more })
    const { db, course, id } = told
    const ask = async (count = 1) => {
      for (let made = 0; made < count; made += 1) await asked(db, [await aQuestion(db, { course })])
    }
    return { ...told, ask, state: () => rowOf(db, 'webhooks', id) }
  }

  /** What came of each delivery, and after how many tries. */
  const outcomesOf = async (id: number) =>
    (await deliveriesOf(forum.db, id)).map(({ outcome, tries }) => [outcome, tries])

  const verified = (secret: string, { headers, body }: Received) =>
    new Webhook(secret).verify(body, headers as Record<string, string>)

  test('signs as Standard Webhooks say, with both secrets for a day after a rotation', async (t) => {
    const formerSecret = `whsec_${Buffer.alloc(24, 9).toString('base64')}`
    const { db, receiver, id, ask } = await aTold(t, { formerSecret })
    await ask()
    await deliver(db)
    const [first = assert.fail('nothing came')] = receiver.received
    assert.equal(first.headers['content-type'], 'application/json')
    for (const secret of [WEBHOOK_SECRET, formerSecret])
      assert.deepEqual(verified(secret, first), JSON.parse(first.body))
    assert.throws(() => verified(`whsec_${Buffer.alloc(32, 1).toString('base64')}`, first))
    assert.throws(() => verified(WEBHOOK_SECRET, { ...first, body: `${first.body} ` }))
    const [delivery] = await deliveriesOf(db, id)
    assert.equal(first.headers['webhook-id'], delivery?.message_id)
    assert.match(delivery?.message_id ?? '', /^msg_[0-9a-f]{32}$/)

    await sql`update webhooks set former_secret_until = now() where id = ${id}`.execute(db)
    await ask()
    await deliver(db)
    const [, second = assert.fail('nothing came')] = receiver.received
    verified(WEBHOOK_SECRET, second)
    assert.throws(() => verified(formerSecret, second))
  })

  test('sends in the order of due, each once, and keeps what came of it', async (t) => {
    const { db, receiver, id, ask } = await aTold(t)
    await ask(3)
    await deliver(db)
    await deliver(db)
    const deliveries = await deliveriesOf(db, id)
    assert.deepEqual(
      receiver.received.map(({ headers }) => headers['webhook-id']),
      valuesOf(deliveries, 'message_id'),
    )
    for (const { outcome, tries, done_at } of deliveries)
      assert.deepEqual([outcome, tries, done_at !== null], ['204', 1, true])
  })

  test('tries what is not taken again, with the same id and a new time, later and later', async (t) => {
    const { db, receiver, id, ask, state } = await aTold(t)
    receiver.answer = (reply) => reply.writeHead(500).end('no')
    await ask()
    const hours = 3600
    const pauses = [5, 60, 300, 1800, 2 * hours, 5 * hours, 10 * hours, 12 * hours, 12 * hours]
    for (const [index, pause] of pauses.entries()) {
      await sql`update webhooks set failing_since = null`.execute(db)
      await deliver(db)
      const { rows } = await sql<{ wait: number; tries: number }>`
        select extract(epoch from due_at - failing_since)::float8 as wait, tries
        from webhook_deliveries join webhooks on webhooks.id = webhook_id
        where webhook_id = ${id}`.execute(db)
      const [{ wait, tries } = assert.fail()] = rows
      assert.equal(tries, index + 1)
      assert.ok(wait >= pause * 0.799 && wait <= pause * 1.201, `try ${tries}: ${wait}`)
      await deliver(db)
      assert.equal(receiver.received.length, tries, 'not before its time')
      await passWebhookTime(db, `${Math.ceil(wait) + 1} seconds`)
    }
    assert.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, 1)
    assert.notEqual((await state()).failing_since, null)
    receiver.answer = (reply) => reply.writeHead(200).end()
    await passWebhookTime(db, '15 hours')
    await deliver(db)
    assert.equal((await deliveriesOf(db, id))[0]?.outcome, '200')
    assert.equal((await state()).failing_since, null)
  })

  test('a receiver that took nothing for three days is switched off; one that takes others loses only that delivery', async (t) => {
    const { db, receiver, id, ask, state } = await aTold(t)
    receiver.answer = (reply) => reply.writeHead(400).end()
    await ask()
    await deliver(db)
    await passWebhookTime(db, '71 hours')
    await deliver(db)
    assert.deepEqual([(await state()).stopped, (await deliveriesOf(db, id))[0]?.done_at], [null, null])
    await passWebhookTime(db, '15 hours')
    await deliver(db)
    assert.equal((await state()).stopped, 'failing')
    assert.equal((await deliveriesOf(db, id))[0]?.outcome, '400')
    await ask()
    assert.equal((await deliveriesOf(db, id)).length, 1, 'nothing is planned for it any more')

    const other = await aTold(t)
    other.receiver.answer = (reply) => reply.writeHead(400).end()
    await other.ask()
    await deliver(db)
    await passWebhookTime(db, '80 hours')
    await sql`update webhooks set failing_since = null where id = ${other.id}`.execute(db)
    await deliver(db)
    assert.equal((await other.state()).stopped, null)
    assert.notEqual((await deliveriesOf(db, other.id))[0]?.done_at, null)
  })

  test('410 switches off at once, a redirect is a failure that leads nowhere', async (t) => {
    const { db, receiver, id, ask, state } = await aTold(t)
    receiver.answer = (reply) => reply.writeHead(302, { location: '/elsewhere' }).end()
    await ask(2)
    await deliver(db)
    assert.deepEqual(valuesOf(receiver.received, 'path'), ['/hook'])
    assert.equal((await deliveriesOf(db, id))[0]?.outcome, '302')
    receiver.answer = (reply) => reply.writeHead(410).end()
    await passWebhookTime(db, '10 seconds')
    await deliver(db)
    assert.equal((await state()).stopped, 'gone')
    await passWebhookTime(db, '1 day')
    await deliver(db)
    assert.equal(receiver.received.length, 2)
  })

  test('a receiver that asks to wait is waited for, within bounds, whatever else is due', async (t) => {
    const { db, receiver, ask, state } = await aTold(t)
    const date = new Date(Date.now() + 600_000).toUTCString()
    for (const [status, seconds, least, most] of [
      [429, '120', 120, 120],
      [503, date, 5, 600],
      [429, '99999999', 12 * 3600, 12 * 3600],
      [503, 'soon', 5, 5],
      [429, '-5', 5, 5],
      [500, '3000', 5, 5],
    ] as const) {
      receiver.answer = (reply) => reply.writeHead(status, { 'retry-after': seconds }).end()
      await sql`update webhooks set failing_since = null`.execute(db)
      await ask(2)
      await deliver(db)
      const { free_at, failing_since } = await state()
      const wait = (Number(free_at) - Number(failing_since)) / 1000
      assert.ok(wait >= least && wait <= most + 1, `${status} ${seconds}: ${wait}`)
      const tried = receiver.received.length
      await deliver(db)
      assert.equal(receiver.received.length, tried)
      await passWebhookTime(db, '2 days')
    }
  })

  test('who can’t be reached is told apart from nothing finer, and delays no other receiver', async (t) => {
    const { db, receiver, id, ask } = await aTold(t)
    receiver.answer = (reply) => reply.destroy()
    const other = await aTold(t)
    await ask(2)
    await other.ask(2)
    await deliver(db)
    const [tried, waits] = [
      ['unreachable', 1],
      [null, 0],
    ]
    assert.deepEqual(await outcomesOf(id), [tried, waits])
    assert.equal(other.receiver.received.length, 2)
  })

  test('an answer is read up to a bound and thrown away', async (t) => {
    const { db, receiver, id, ask } = await aTold(t)
    receiver.answer = (reply) => reply.writeHead(200).end(Buffer.alloc(1_000_000, 'x'))
    await ask()
    await deliver(db)
    const [delivery] = await deliveriesOf(db, id)
    assert.equal(delivery?.outcome, '200')
    assert.doesNotMatch(JSON.stringify(delivery), /xxx/)
  })

  test('what was taken by a process that died is sent again under the same id, when its lease is over', async (t) => {
    const { db, receiver, id, ask } = await aTold(t)
    await ask()
    await deliver(db)
    // As if it had died before it could record that.
    await sql`update webhook_deliveries set done_at = null, outcome = null, due_at = now() + interval '25 seconds'
      where webhook_id = ${id}`.execute(db)
    await deliver(db)
    assert.equal(receiver.received.length, 1)
    await passWebhookTime(db, '30 seconds')
    await deliver(db)
    const ids = receiver.received.map(({ headers }) => headers['webhook-id'])
    assert.deepEqual([ids.length, new Set(ids).size], [2, 1])
    assert.equal((await deliveriesOf(db, id))[0]?.tries, 2)
  })

  test('a test and what was planned before an owner lost the role', async (t) => {
    const { db, course, owner, receiver, id, ask, state } = await aTold(t)
    await aTestDelivery(db, id)
    await deliver(db)
    const [sent] = receiver.payloads()
    assert.deepEqual([sent?.type, sent?.data], ['webhook.test', { course: course.slug }])
    await ask(2)
    await setRows(db, 'course_members', { person_id: owner.id }, { role: 'assistant' })
    await deliver(db)
    assert.deepEqual(receiver.payloads(), [])
    assert.equal((await state()).stopped, 'owner')
    const dropped = ['dropped', 0]
    assert.deepEqual(await outcomesOf(id), [['204', 1], dropped, dropped])
  })

  test('a suspended owner’s webhook delivers nothing, nor does one whose owner left', async (t) => {
    const { db } = forum
    for (const end of [
      async (id: number, courseId: number) => {
        const admin = await aPerson(db, { isAdmin: true })
        await within(db, suspend, admin.id, { personId: id, courseId, until: null, note: 'Be kind.' })
      },
      (id: number) => sql`update people set left_at = now() where id = ${id}`.execute(db),
    ]) {
      const { course, owner, receiver, ask, state } = await aTold(t)
      await ask()
      await end(owner.id, course.id)
      await deliver(db)
      assert.deepEqual([receiver.received.length, (await state()).stopped], [0, 'owner'])
    }
  })
})
