import assert from 'node:assert/strict'
import { suite, type TestContext, test } from 'node:test'
import fastify, { type FastifyBaseLogger } from 'fastify'
import { sql } from 'kysely'
import { MAIL_CONNECTIONS } from '../config.ts'
import { connect } from '../database/connection.ts'
import type { Database } from '../database/schema.ts'
import type { Timing } from '../jobs/kind.ts'
import { Lane } from '../jobs/runner.ts'
import { retryJob } from '../jobs/table.ts'
import { FAST } from '../jobs/testing.ts'
import { silentLog } from '../testing/app.ts'
import { atEnd } from '../testing/at-end.ts'
import { testDatabase, testDatabaseWithUrl } from '../testing/database.ts'
import { aProxy } from '../testing/proxy.ts'
import { rowOf, rowsOf, setRows, valuesOf } from '../testing/rows.ts'
import { until } from '../testing/waiting.ts'
import { mailServer } from './mail-server.ts'
import { MAIL } from './outbox.ts'
import type { Mail, Renewal } from './renewal.ts'
import { sendingTo } from './send-mail.ts'
import { aMailServer, someMail, type TestMailServer } from './testing.ts'
import { tlsOf } from './tls.ts'

const FORUM = { from: 'handup@forum.example', host: 'forum.example' }

/** Production settings, except for delays that a test would have to wait for. A delivery never takes longer than its limit. */
suite('the outbox', () => {
  test('is sent, each mail once, and forgets the words of what was sent', async (t) => {
    const [db, server] = [await testDatabase(t), await aMailServer(t)]
    await someMail(db, ...Array.from({ length: 30 }, (_, index) => ({ to: `person-${index}@example.org` })))
    for (const _process of [1, 2, 3]) sendTo(t, db, server)
    await untilSent(db)

    assert.equal(server.arrived.length, 30)
    assert.equal(new Set(server.arrived.flatMap(({ to }) => to)).size, 30)
    for (const row of await rowsOf(db, 'mails', {})) {
      assert.ok(server.arrived.some(({ messageId }) => messageId === `<${row.key}@forum.example>`))
      assert.deepEqual([row.text, row.html], ['', ''])
    }
  })

  test('is encrypted for a server on this machine, whose certificate nobody signed', async (t) => {
    const [db, server] = [await testDatabase(t), await aMailServer(t)]
    server.hasOwnCertificate = true
    await server.comeBack()
    await someMail(db, {})
    sendTo(t, db, server)
    await untilSent(db)
    assert.deepEqual(valuesOf(server.arrived, 'isEncrypted'), [true])
    assert.equal(tlsOf('smtp://mail.example.org').rejectUnauthorized, true)
  })

  test('waits for a server that is away, silent or busy, and loses nothing', async (t) => {
    const [db, server] = [await testDatabase(t), await aMailServer(t)]
    await server.goAway()
    await someMail(db, { to: 'one@example.org' }, { to: 'two@example.org' }, { to: 'three@example.org' })
    const impatient = sendTo(t, db, server, { timeout: 500 })
    await until('each was tried twice', async () => (await leastTries(db)) >= 2)
    await server.goSilent()
    await until('a try ran out of time', async () => /timeout|abort/i.test(await lastErrors(db)))
    await impatient.stop()
    sendTo(t, db, server)
    server.refuseWith = { code: 451, text: 'Later, please', at: 'message' }
    await server.comeBack()
    await until('a mail was refused', async () => (await lastErrors(db)).includes('Later, please'))
    assert.equal(await waiting(db), 3)
    assert.equal(server.arrived.length, 0)

    server.refuseWith = null
    await untilSent(db)
    const all = ['one@example.org', 'three@example.org', 'two@example.org']
    assert.deepEqual(valuesOf(server.arrived, 'to').flat().sort(), all)
  })

  test('does not press on an address that is refused for good, until an admin says so', async (t) => {
    const [db, server] = [await testDatabase(t), await aMailServer(t)]
    server.refuseWith = { code: 550, text: 'No such mailbox', at: 'recipient' }
    await someMail(db, {})
    sendTo(t, db, server, { timing: { ...FAST, backOff: () => 0 } })
    await until('it was refused', async () => (await lastErrors(db)).includes('No such mailbox'))
    server.refuseWith = null
    await anotherArrives(db, server)
    assert.equal(server.arrived.length, 1)
    const { key, tries } = await rowOf(db, 'jobs', {})
    assert.equal(tries, 1)
    assert.ok(await retryJob(db, { kind: MAIL, key }))
    await untilSent(db)
    assert.equal(server.arrived.length, 2)
    assert.equal(await retryJob(db, { kind: MAIL, key }), null, 'what was sent is not sent again')
  })

  test('goes over kept connections, no more than are allowed at once', async (t) => {
    const [db, server] = [await testDatabase(t), await aMailServer(t)]
    await someMail(db, ...Array.from({ length: 40 }, () => ({})))
    sendTo(t, db, server)
    await untilSent(db)
    assert.equal(server.arrived.length, 40)
    assert.ok(server.connections <= MAIL_CONNECTIONS, `${server.connections} connections`)
  })

  test('spares a server that takes nothing: one mail is tried after each pause, and all leave when it is back', async (t) => {
    const [db, server] = [await testDatabase(t), await aMailServer(t)]
    server.refuseWith = { code: 451, text: '4.3.0 Later', at: 'recipient' }
    await someMail(db, ...Array.from({ length: 40 }, () => ({})))
    let pauses = 0
    const pause = () => {
      pauses += 1
      return 60
    }
    sendTo(t, db, server, { pause })
    await until('it was left alone four times', () => pauses >= 4)
    // Those of the first round, and then one for each pause.
    assert.ok(
      server.refusals <= 2 * MAIL_CONNECTIONS + pauses,
      `${server.refusals} tries in ${pauses} pauses`,
    )
    server.refuseWith = null
    await untilSent(db)
    assert.equal(server.arrived.length, 40)
  })

  test('is sent though another of the same moment cannot be written again', async (t) => {
    const db = await testDatabase(t)
    await someMail(db, ...['Fine', 'Broken', 'Good'].map((subject) => ({ subject })))
    const test: Renewal = async (_write, mails) => {
      if (mails.some(({ subject }) => subject === 'Broken')) throw new Error('cannot be written')
      return new Map(mails.map((mail) => [mail.id, mail]))
    }
    const sent: string[] = []
    const server = { send: async ({ subject }: Mail) => String(sent.push(subject)), close: () => undefined }
    sendTo(t, db, { url: '' }, { server, renewals: { test } })
    await until('the others are sent', () => sent.length === 2)
    assert.deepEqual(sent.toSorted(), ['Fine', 'Good'])
  })

  test('comes back to an address of its own, and to MAIL_FROM where the server takes no other sender', async (t) => {
    const [db, server] = [await testDatabase(t), await aMailServer(t)]
    const refused: Error[] = []
    const to = mailServer({
      ...{ url: server.url, ...FORUM },
      returnAddress: (id) => `reply+b${id}@forum.example`,
      onReturnRefused: (error) => refused.push(error),
    })
    sendTo(t, db, server, { server: to })
    await someMail(db, {})
    await untilSent(db)
    server.refuseWith = { code: 553, text: '5.7.1 Sender address rejected: not owned by user', at: 'sender' }
    server.ownSender = 'handup@forum.example'
    await someMail(db, {}, {})
    await untilSent(db)
    const { from } = FORUM
    assert.deepEqual(valuesOf(server.arrived, 'from'), ['reply+b1@forum.example', from, from])
    assert.ok(refused.length > 0)
  })

  test('gives up after three days, and so sends no old mail when it gets its first server', async (t) => {
    const [db, server] = [await testDatabase(t), await aMailServer(t)]
    await someMail(db, { to: 'old@example.org' })
    await setRows(db, 'jobs', {}, { give_up_at: sql`now()` })
    await someMail(db, { to: 'new@example.org' })
    sendTo(t, db, server)
    await until('one is sent', async () => (await waiting(db)) === 1)
    assert.equal(await leastTries(db), 0)
    assert.deepEqual(valuesOf(server.arrived, 'to'), [['new@example.org']])
  })

  test('is noted when the database is back, should it go while the server acknowledges', async (t) => {
    const { db, url } = await testDatabaseWithUrl(t)
    const [server, proxy] = [await aMailServer(t), await aProxy(t, url)]
    const flaky = aFlaky(t, proxy)
    server.beforeAcknowledging = () => proxy.close()
    await someMail(db, {})
    sendTo(t, flaky, server)
    await until('it has arrived', () => server.arrived.length === 1)
    // The process still has to record the outcome, so no other may claim the mail.
    await endLeases(db)
    assert.equal(await waiting(db), 1)
    await proxy.open()
    await untilSent(db)
    assert.equal(server.arrived.length, 1)
  })

  test('is not sent twice by several processes after the database was away for longer than the lease', async (t) => {
    const { db, url } = await testDatabaseWithUrl(t)
    const [server, proxy] = [await aMailServer(t), await aProxy(t, url)]
    const timing = { ...FAST, takeoverDelay: 600_000 }
    const lines: string[] = []
    for (let process = 0; process < 3; process += 1) {
      sendTo(t, aFlaky(t, proxy), server, { timing, log: logInto(lines, `process ${process}`) })
    }
    server.beforeAcknowledging = () => proxy.close()
    await someMail(db, {})
    await until('it has arrived', () => server.arrived.length === 1)
    await endLeases(db)
    const away = () => new Set(lines.filter((line) => line.includes('jobs wait for the database')))
    await until('the others found the database away', () => away().size >= 2)
    server.beforeAcknowledging = async () => {}
    await proxy.open()
    await untilSent(db)
    assert.equal(server.arrived.length, 1)
  })

  test('is taken over from a process that died while it sent', async (t) => {
    const [db, server] = [await testDatabase(t), await aMailServer(t)]
    await someMail(db, {})
    await setRows(db, 'jobs', {}, { tries: 1, due_at: sql`now() + interval '1 hour'` })
    sendTo(t, db, server)
    await anotherArrives(db, server)
    assert.equal(server.arrived.length, 1, 'the one before may still be at it')
    await endLeases(db)
    await untilSent(db)
    assert.equal(server.arrived.length, 2)
  })

  test('stops: what is under way is finished, what hangs is left for the next process', async (t) => {
    const [db, server] = [await testDatabase(t), await aMailServer(t)]
    const [isUnderWay, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    server.beforeAcknowledging = () => {
      isUnderWay.resolve()
      return mayEnd.promise
    }
    await someMail(db, {})
    const first = sendTo(t, db, server, { timing: { ...FAST, stopTimeout: 60_000 } })
    await isUnderWay.promise
    const stopped = first.stop()
    mayEnd.resolve()
    await stopped
    assert.equal(await waiting(db), 0)

    await server.goSilent()
    await someMail(db, {})
    // A silent server does not delay the stop, which would otherwise exceed the test's timeout.
    const patient = sendTo(t, db, server, { timeout: 3_600_000 })
    await until('it is tried', async () => (await leastTries(db)) === 1)
    await patient.stop()
    server.beforeAcknowledging = async () => {}
    await server.comeBack()
    sendTo(t, db, server)
    await untilSent(db)
    assert.equal(server.arrived.length, 2)
  })
})

type Sending = NonNullable<Parameters<typeof sendingTo>[3]> & {
  readonly timing?: Timing
  readonly log?: FastifyBaseLogger
  /** Instead of one that sends to the test's. */
  readonly server?: Parameters<typeof sendingTo>[1]
}

/** A process that sends what is in the outbox. */
function sendTo(t: TestContext, db: Database, { url }: Pick<TestMailServer, 'url'>, given: Sending = {}) {
  const { timing = FAST, log = silentLog(), server = mailServer({ url, ...FORUM }), ...options } = given
  const kind = sendingTo(db, server, log, { timeout: 60_000, pause: () => 50, ...options })
  const sender = new Lane(db, log, kind, timing)
  atEnd(t, () => sender.stop())
  return sender
}

/** The database through a proxy, which is soon known to be away. */
function aFlaky(t: TestContext, { url }: { readonly url: string }): Database {
  const flaky = connect(url, { connectionTimeout: 300, statementTimeout: 300 })
  atEnd(t, () => flaky.destroy())
  return flaky
}

const waiting = async (db: Database) => (await rowsOf(db, 'mails', { sent_at: null })).length

const leastTries = async (db: Database) => Math.min(...valuesOf(await rowsOf(db, 'jobs', {}), 'tries'))

const lastErrors = async (db: Database) => valuesOf(await rowsOf(db, 'jobs', {}), 'last_error').join()

function untilSent(db: Database): Promise<void> {
  return until('all is sent', async () => (await waiting(db)) === 0)
}

/** Writes a mail and waits for it: the sender has then processed the whole outbox. */
async function anotherArrives(db: Database, server: TestMailServer): Promise<void> {
  await someMail(db, { to: 'another@example.org' })
  await until('another mail arrives', () => server.arrived.some(({ to }) => to[0] === 'another@example.org'))
}

/** As if the lease of a process had expired. */
const endLeases = (db: Database) => setRows(db, 'jobs', {}, { due_at: sql`now()` })

/** A log whose warnings become lines, each with the name of its writer. */
function logInto(lines: string[], name: string): FastifyBaseLogger {
  const stream = { write: (line: string) => void lines.push(`${name}: ${JSON.parse(line).msg}`) }
  return fastify({ logger: { level: 'warn', stream } }).log
}
