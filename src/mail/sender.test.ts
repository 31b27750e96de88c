import assert from 'node:assert/strict'
import { suite, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { connect } from '../database/connection.ts'
import type { Database } from '../database/schema.ts'
import { silentLog } from '../testing/app.ts'
import { atEnd } from '../testing/at-end.ts'
import { testDatabase, testDatabaseWithUrl } from '../testing/database.ts'
import { aProxy } from '../testing/proxy.ts'
import { mailServer } from './mail-server.ts'
import { sendAgain } from './outbox.ts'
import { startSender, type Timing } from './sender.ts'
import { aMailServer, someMail, type TestMailServer } from './testing.ts'

/** As in operation, in a hundredth of the time. */
const FAST: Timing = { pause: 20, patience: 500, lease: 1, backOff: () => 0.05, grace: 100, farewell: 100 }

suite('the outbox', () => {
  test('is sent, each mail once, and forgets the words of what was sent', async (t) => {
    const [db, server] = [await testDatabase(t), await aMailServer(t)]
    await someMail(db, ...Array.from({ length: 30 }, (_, index) => ({ to: `person-${index}@example.org` })))
    // None takes over from another one that is only slow.
    for (const _process of [1, 2, 3]) sendTo(t, db, server, { ...FAST, lease: 60 })
    await until(async () => (await waiting(db)) === 0)

    assert.equal(server.arrived.length, 30)
    assert.equal(new Set(server.arrived.flatMap(({ to }) => to)).size, 30)
    const rows = await db.selectFrom('mails').selectAll().execute()
    for (const row of rows) {
      assert.ok(server.arrived.some(({ messageId }) => messageId === `<${row.key}@forum.example>`))
      assert.deepEqual([row.text, row.html, row.last_error, row.tries], ['', '', null, 1])
    }
  })

  test('waits for a server that is away, silent or busy, and loses nothing', async (t) => {
    const [db, server] = [await testDatabase(t), await aMailServer(t)]
    await server.goAway()
    await someMail(db, { to: 'one@example.org' }, { to: 'two@example.org' }, { to: 'three@example.org' })
    sendTo(t, db, server)
    await until(async () => (await leastTries(db)) >= 2)
    await server.goSilent()
    await until(async () => /timeout|abort/i.test((await lastErrors(db)).join()))
    server.refuseWith = { code: 451, text: 'Later, please', at: 'message' }
    await server.comeBack()
    await until(async () => (await lastErrors(db)).join().includes('Later, please'))
    assert.equal(await waiting(db), 3)
    assert.equal(server.arrived.length, 0)

    server.refuseWith = null
    await until(async () => (await waiting(db)) === 0)
    assert.deepEqual(server.arrived.flatMap(({ to }) => to).sort(), [
      'one@example.org',
      'three@example.org',
      'two@example.org',
    ])
  })

  test('does not press on an address that is refused for good, until an admin says so', async (t) => {
    const [db, server] = [await testDatabase(t), await aMailServer(t)]
    server.refuseWith = { code: 550, text: 'No such mailbox', at: 'recipient' }
    await someMail(db, {})
    sendTo(t, db, server)
    await until(async () => (await lastErrors(db)).join().includes('No such mailbox'))
    await sleep(300)
    assert.equal(await leastTries(db), 1)
    server.refuseWith = null
    const { id } = await db.selectFrom('mails').select('id').executeTakeFirstOrThrow()
    assert.ok(await sendAgain(db, id))
    await until(async () => (await waiting(db)) === 0)
    assert.equal(server.arrived.length, 1)
    assert.ok(!(await sendAgain(db, id)), 'what was sent is not sent again')
  })

  test('gives up after three days, and so sends no old mail when it gets its first server', async (t) => {
    const [db, server] = [await testDatabase(t), await aMailServer(t)]
    await someMail(db, { to: 'old@example.org' })
    await db.updateTable('mails').set({ give_up_at: sql`now()` }).execute()
    await someMail(db, { to: 'new@example.org' })
    sendTo(t, db, server)
    await until(async () => (await waiting(db)) === 1)
    await sleep(100)
    assert.deepEqual(
      server.arrived.flatMap(({ to }) => to),
      ['new@example.org'],
    )
  })

  test('is noted when the database is back, should it go while the server acknowledges', async (t) => {
    const { db, url } = await testDatabaseWithUrl(t)
    const [server, proxy] = [await aMailServer(t), await aProxy(t, url)]
    const flaky = connect(proxy.url, { patience: 300, statementTimeout: 300 })
    atEnd(t, () => flaky.destroy())
    server.beforeAcknowledging = () => proxy.close()
    await someMail(db, {})
    sendTo(t, flaky, server)
    await until(async () => server.arrived.length === 1)
    // Longer than the lease: nobody may take the mail over that this process still has to note.
    await sleep(1500)
    assert.equal(await waiting(db), 1)
    await proxy.open()
    await until(async () => (await waiting(db)) === 0)
    assert.equal(server.arrived.length, 1)
  })

  test('is not sent twice by several processes after the database was away for longer than the lease', async (t) => {
    const { db, url } = await testDatabaseWithUrl(t)
    const [server, proxy] = [await aMailServer(t), await aProxy(t, url)]
    const timing = { ...FAST, grace: 2000 }
    for (let process = 0; process < 3; process += 1) {
      const flaky = connect(proxy.url, { patience: 300, statementTimeout: 300 })
      atEnd(t, () => flaky.destroy())
      sendTo(t, flaky, server, timing)
    }
    server.beforeAcknowledging = () => proxy.close()
    await someMail(db, {})
    await until(async () => server.arrived.length === 1)
    await sleep(1500)
    server.beforeAcknowledging = async () => {}
    await proxy.open()
    await until(async () => (await waiting(db)) === 0)
    assert.equal(server.arrived.length, 1)
  })

  test('is taken over from a process that died while it sent', async (t) => {
    const [db, server] = [await testDatabase(t), await aMailServer(t)]
    await someMail(db, {})
    await db.updateTable('mails').set({ tries: 1, due_at: sql`now() + interval '1 second'` }).execute()
    sendTo(t, db, server)
    await sleep(500)
    assert.equal(server.arrived.length, 0, 'the one before may still be at it')
    await until(async () => (await waiting(db)) === 0)
    assert.equal(server.arrived.length, 1)
  })

  test('stops: what is under way is finished, what hangs is left for the next process', async (t) => {
    const [db, server] = [await testDatabase(t), await aMailServer(t)]
    const isUnderWay = Promise.withResolvers<void>()
    server.beforeAcknowledging = async () => {
      isUnderWay.resolve()
      await sleep(60)
    }
    await someMail(db, {})
    const first = sendTo(t, db, server)
    await isUnderWay.promise
    await first.stop()
    assert.equal(await waiting(db), 0)

    await server.goSilent()
    await someMail(db, {})
    const patient = sendTo(t, db, server, { ...FAST, patience: 60_000 })
    await until(async () => (await leastTries(db)) === 1)
    const began = performance.now()
    await patient.stop()
    assert.ok(performance.now() - began < 1000, 'a silent server does not hold up the stop')
    server.beforeAcknowledging = async () => {}
    await server.comeBack()
    sendTo(t, db, server)
    await until(async () => (await waiting(db)) === 0)
    assert.equal(server.arrived.length, 2)
  })
})

function sendTo(t: TestContext, db: Database, server: TestMailServer, timing = FAST) {
  const to = mailServer({ url: server.url, from: 'handup@forum.example', host: 'forum.example' })
  const sender = startSender(db, to, silentLog(), timing)
  atEnd(t, () => sender.stop())
  return sender
}

async function waiting(db: Database): Promise<number> {
  const rows = await db.selectFrom('mails').select('id').where('sent_at', 'is', null).execute()
  return rows.length
}

async function leastTries(db: Database): Promise<number> {
  const rows = await db.selectFrom('mails').select('tries').where('sent_at', 'is', null).execute()
  return Math.min(...rows.map(({ tries }) => tries))
}

async function lastErrors(db: Database): Promise<string[]> {
  const rows = await db.selectFrom('mails').select('last_error').execute()
  return rows.map(({ last_error }) => last_error ?? '')
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 15_000; Date.now() < end; await sleep(20)) if (await holds()) return
  assert.fail('that never came')
}
