import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { connect as connectTo, type Socket } from 'node:net'
import { suite, type TestContext, test } from 'node:test'
import { createTransport, type SendMailOptions } from 'nodemailer'
import { connect } from '../../database/connection.ts'
import type { Database } from '../../database/schema.ts'
import { returnAddressOf } from '../../mail/return-address.ts'
import { silentLog } from '../../testing/app.ts'
import { atEnd } from '../../testing/at-end.ts'
import { aCourse, aPerson, aQuestion, type MadePerson } from '../../testing/builders.ts'
import { testDatabaseWithUrl } from '../../testing/database.ts'
import { aProxy } from '../../testing/proxy.ts'
import { rowOf, rowsOf, setRows, valuesOf } from '../../testing/rows.ts'
import { until } from '../../testing/waiting.ts'
import { within } from '../../testing/within.ts'
import { makeReplyAddress } from './keys.ts'
import { authenticityOf, listenForMail, type Resolver } from './listen.ts'

const FORUM = {
  replyAddress: 'reply@forum.example',
  baseUrl: 'https://forum.example',
  keys: ['x'.repeat(32)] as const,
}
const KEYS = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
})
const PUBLIC_KEY = KEYS.publicKey.replace(/-----.*-----|\n/g, '')

/** DNS of the domain that people of builders have their addresses in: a DKIM key and a DMARC policy, no SPF. */
const DNS: Record<string, string[][]> = {
  'key._domainkey.example.com TXT': [[`v=DKIM1; k=rsa; p=${PUBLIC_KEY}`]],
  'key._domainkey.evil.example TXT': [[`v=DKIM1; k=rsa; p=${PUBLIC_KEY}`]],
  '_dmarc.example.com TXT': [['v=DMARC1; p=none']],
}
const resolver: Resolver = async (name, type) => {
  const found = DNS[`${name} ${type}`]
  if (found === undefined) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
  return found
}
const noDns: Resolver = async () => {
  throw Object.assign(new Error('timeout'), { code: 'ETIMEOUT' })
}

type Sent = Pick<SendMailOptions, 'from' | 'to' | 'text' | 'headers' | 'messageId'> & {
  readonly signedBy?: string
}

/** A listener, somebody with an address to answer to, and their mail program. */
async function aListener(
  t: TestContext,
  given: { resolver?: Resolver; through?: (url: string) => Promise<Database>; longest?: number } = {},
) {
  const { db, url } = await testDatabaseWithUrl(t)
  const person = await aPerson(db)
  const question = await aQuestion(db, { course: await aCourse(db), author: person })
  const to = await within(db, makeReplyAddress, FORUM.replyAddress, person.id, question.id, null)
  const listener = await listenForMail({
    ...FORUM,
    db: given.through === undefined ? db : await given.through(url),
    log: silentLog(),
    host: '127.0.0.1',
    port: 0,
    resolver: given.resolver ?? resolver,
    ...(given.longest !== undefined && { longest: given.longest }),
  })
  atEnd(t, () => listener.stop())
  const send = ({ signedBy: domainName = 'example.com', ...mail }: Sent = {}) => {
    const transport = createTransport({
      host: '127.0.0.1',
      port: listener.port,
      ...(domainName !== '' && { dkim: { domainName, keySelector: 'key', privateKey: KEYS.privateKey } }),
    })
    return transport.sendMail({ from: person.email, to, subject: 'Re: x', text: 'Thank you.', ...mail })
  }
  const replies = async () => valuesOf(await rowsOf(db, 'replies', {}), 'body')
  const refusals = async () => (await rowsOf(db, 'mails', { kind: 'answer-refused' })).length
  return { db, person, to, send, replies, refusals, listener }
}

interface Slow {
  readonly socket: Socket
  heard: string
}

/** A connection that begins and does not go on, once it was answered. */
async function aSlowClient(t: TestContext, port: number): Promise<Slow> {
  const slow: Slow = { socket: connectTo({ host: '127.0.0.1', port }), heard: '' }
  atEnd(t, async () => void slow.socket.destroy())
  slow.socket
    .on('error', () => undefined)
    .on('data', (data) => {
      slow.heard += data
    })
  await until('it is answered', () => slow.heard !== '' || slow.socket.destroyed)
  return slow
}

const refusedWith = (code: number) => (error: unknown) =>
  error instanceof Error && 'responseCode' in error && error.responseCode === code

/** A mail of what is new that the mail server took. */
function aSentMail(db: Database, { id: person_id, email: recipient }: MadePerson) {
  const mail = {
    kind: 'news',
    person_id,
    recipient,
    language: 'en',
    subject: 'x',
    text: '',
    html: '',
  } as const
  const sent = db.insertInto('mails').values({ ...mail, is_bulk: true, sent_at: new Date() })
  return sent.returning('id').executeTakeFirstOrThrow()
}

let reports = 0

/** As Postfix writes them (RFC 3464). */
function aReport(action: string, to: string, text: string): string {
  reports += 1
  return [
    ...['From: MAILER-DAEMON@mx.example', `To: <${to}>`, 'Subject: Undelivered Mail Returned to Sender'],
    ...[`Message-ID: <report-${reports}@mx.example>`, 'Auto-Submitted: auto-replied', 'MIME-Version: 1.0'],
    ...['Content-Type: multipart/report; report-type=delivery-status; boundary="r"', ''],
    ...['--r', 'Content-Type: text/plain', '', 'Your mail could not be delivered.', ''],
    ...['--r', 'Content-Type: message/delivery-status', '', 'Reporting-MTA: dns; mx.example', ''],
    ...['Final-Recipient: rfc822; someone@example.com', `Action: ${action}`, 'Status: 5.1.1', ''],
    ...['--r', 'Content-Type: text/rfc822-headers', '', 'Subject: x', '', text, '--r--', ''],
  ].join('\r\n')
}

suite('answers by mail at INBOUND_PORT', () => {
  test('are posted when their domain signed them, once', async (t) => {
    const { send, replies } = await aListener(t)
    await send({ messageId: '<one@example.com>' })
    await send({ messageId: '<one@example.com>' })
    assert.deepEqual(await replies(), ['Thank you.'])
  })

  test('are not believed without a signature, with one of another domain, or by what they say themselves', async (t) => {
    const { send, replies, refusals } = await aListener(t)
    const claim = { 'Authentication-Results': 'mx.example.com; dmarc=pass; spf=pass; dkim=pass' }
    await send({ signedBy: '' })
    await send({ signedBy: 'evil.example' })
    await send({ signedBy: '', headers: claim })
    await send({ from: 'mallory@evil.example', signedBy: 'evil.example' })
    assert.deepEqual(await replies(), [])
    assert.equal(await refusals(), 4, 'the owner of the address is told')
  })

  test('are joined there by reports of returned mail: three in a row stop what is new to the address', async (t) => {
    const { db, person, send, replies, listener } = await aListener(t, { resolver: noDns })
    const returned = async (action: string, to: string, text = '') =>
      createTransport({ host: '127.0.0.1', port: listener.port }).sendMail({
        envelope: { from: '', to },
        raw: aReport(action, to, text),
      })
    const stopped = async () => (await rowOf(db, 'people', person.id)).mail_stopped_for
    const aMail = async () => {
      const { id } = await aSentMail(db, person)
      return returnAddressOf(FORUM.keys[0], FORUM.replyAddress, id)
    }
    const [first, second, third] = [await aMail(), await aMail(), await aMail()]
    for (const address of [first, second, third]) await returned('delayed', address)
    await returned('failed', first, 'a long mail '.repeat(20_000))
    await returned('failed', second)
    const forged = `${third.slice(0, third.indexOf('-') + 1)}${'0'.repeat(20)}@forum.example`
    await assert.rejects(returned('failed', forged), refusedWith(550))
    assert.equal(await stopped(), null)
    // More than a network may send otherwise: they all come from one mail server.
    await setRows(db, 'tries', {}, { count: 1000 })
    await returned('failed', third)
    assert.equal(await stopped(), person.email)
    await assert.rejects(send(), refusedWith(450))
    assert.deepEqual(await replies(), [])
  })

  test('come again while DNS does not answer', async (t) => {
    const { send, replies } = await aListener(t, { resolver: noDns })
    await assert.rejects(send(), refusedWith(451))
    assert.deepEqual(await replies(), [])
  })

  test('come again while the database is away', async (t) => {
    const proxied = Promise.withResolvers<Awaited<ReturnType<typeof aProxy>>>()
    const { send, replies } = await aListener(t, {
      through: async (url) => {
        proxied.resolve(await aProxy(t, url))
        const flaky = connect((await proxied.promise).url, { connectionTimeout: 300, statementTimeout: 300 })
        atEnd(t, () => flaky.destroy())
        return flaky
      },
    })
    const proxy = await proxied.promise
    await proxy.close()
    await assert.rejects(send(), refusedWith(451))
    await proxy.open()
    await send()
    assert.deepEqual(await replies(), ['Thank you.'])
  })

  test('go to addresses that we made: nothing is relayed', async (t) => {
    const { send, replies } = await aListener(t)
    for (const to of ['somebody@example.com', 'reply@forum.example', `reply+${'0'.repeat(40)}@forum.example`])
      await assert.rejects(send({ to }), refusedWith(550), to)
    assert.deepEqual(await replies(), [])
  })

  test('have 64 KB at most, and a network sends so many', async (t) => {
    const { send, db } = await aListener(t)
    await assert.rejects(send({ text: 'long '.repeat(20_000) }), refusedWith(552))
    await setRows(db, 'tries', {}, { count: 1000 })
    await assert.rejects(send(), refusedWith(450))
  })

  test('are not kept out by slow clients of one network', async (t) => {
    const { listener } = await aListener(t)
    const slow: Slow[] = []
    for (let count = 0; count < 5; count += 1) slow.push(await aSlowClient(t, listener.port))
    const refused = await aSlowClient(t, listener.port)
    assert.match(refused.heard, /^421 4\.7\.0 Too many connections from your network/)
    slow[0]?.socket.destroy()
    await until('another is let in', async () => /^220 /.test((await aSlowClient(t, listener.port)).heard))
  })

  test('are no conversation without an end, whatever is said', async (t) => {
    const { listener } = await aListener(t, { longest: 300 })
    const { socket } = await aSlowClient(t, listener.port)
    // No pause is long enough to end it.
    const talk = setInterval(() => socket.write('NOOP\r\n'), 20)
    atEnd(t, async () => clearInterval(talk))
    await until('it is ended', () => socket.destroyed)
  })

  test('are finished when the forum stops', async (t) => {
    const { send, replies, listener } = await aListener(t)
    await send()
    await listener.stop()
    await assert.rejects(send(), /ECONNREFUSED/)
    assert.deepEqual(await replies(), ['Thank you.'])
  })
})

const judged = (headers: string) => {
  const [sender, mail] = ['a@example.com', Buffer.from(`${headers}From: a@example.com\r\n\r\nThank you.`)]
  return authenticityOf(mail, sender, { ip: '192.0.2.1', helo: 'mx.example.com', sender }, noDns)
}

test('headers that no mail program writes are not read: it would take seconds', async () => {
  assert.equal(await judged('X-Note: one\r\n two\r\n'.repeat(20)), 'unknown', 'as without an answer of DNS')
  for (const headers of [`DKIM-Signature: v=1; b=${' '.repeat(500)}x\r\n`, 'X-Note: one\r\n'.repeat(1100)])
    assert.equal(await judged(headers), 'forged')
})
