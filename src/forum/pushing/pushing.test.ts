import assert from 'node:assert/strict'
import { readdir, rm, stat } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { suite, type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { beginSession } from '../../accounts/sessions/sessions.ts'
import { aFolder } from '../../database/embedded/testing.ts'
import type { Database, Row } from '../../database/schema.ts'
import { doJobs } from '../../jobs/do-jobs.ts'
import { testApp } from '../../testing/app.ts'
import { atEnd } from '../../testing/at-end.ts'
import { signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { anAnnouncement, deleteAnswer } from '../../testing/posts.ts'
import { rowOf, rowsOf, setRows, valuesOf } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { GuardedClient } from '../../web/guarded-fetch.ts'
import { MAILING, mailsTo, writeMails } from '../mailing/testing.ts'
import { hidePost } from '../posts/removal.ts'
import { markAllSeen } from '../telling/read.ts'
import { type Push, pushService, readPushKeys } from './push-service.ts'
import { pushKind } from './send-push.ts'
import { MAX_SUBSCRIPTIONS, subscribe, subscriptionSchema } from './subscriptions.ts'
import { aPushBrowser, senderOf } from './testing.ts'

const { baseUrl: BASE_URL } = MAILING

/** Somebody who asked, with a browser that takes pushes. */
async function anAsker(t: TestContext, person: Parameters<typeof aPerson>[1] = {}) {
  const [db, dataDir] = [await testDatabase(t), await aFolder(t)]
  const course = await aCourse(db)
  const asker = await aMember(db, course, 'learner', await aPerson(db, person))
  const question = await aQuestion(db, { course, author: asker, title: 'May I leave the links out?' })
  const [keys, browser] = [await readPushKeys(dataDir), aPushBrowser()]
  const token = await beginSession(db, asker.id, 'a test')
  await subscribe(db, { personId: asker.id, sessionToken: token }, browser.subscription, keys.publicKey)
  const sent: Push[] = []
  let status = 201
  const post = async (push: Push) => {
    if (status < 300) sent.push(push)
    return status
  }
  const pushing = { baseUrl: BASE_URL, mailFrom: 'f@x.example', soonSeconds: 0, post }
  const kind = pushKind(db, { ...pushing, keys: () => readPushKeys(dataDir) })
  return {
    ...{ db, course, asker, question, browser, dataDir, sent, kind },
    answers: (next: number) => {
      status = next
    },
    /** Mails and pushes what is due. */
    async tell() {
      await writeMails(db)
      await doJobs(db, kind)
    },
    /** Everything that was pushed, as the browser reads it. */
    told: () => sent.map(browser.read),
  }
}

const count = async (db: Database) => (await rowsOf(db, 'push_subscriptions', {})).length

suite('a push of what is new', () => {
  test('has who did what and where it leads, sealed for the browser and signed by the forum; it is mailed, too', async (t) => {
    const { db, asker, question, tell, sent, told, dataDir } = await anAsker(t)
    const mara = await aPerson(db, { displayName: 'Mara' })
    const answer = await anAnswer(db, { question, author: mara, body: 'A text that stays here' })
    await tell()
    const url = `${BASE_URL}/questions/${question.id}/may-i-leave-the-links-out#answer-${answer.id}`
    assert.deepEqual(told(), [{ title: 'Mara answered: May I leave the links out?', url }])
    const [{ headers } = assert.fail()] = sent
    assert.equal(headers.TTL, '86400')
    const { aud, sub, key } = senderOf(sent[0] ?? assert.fail())
    assert.deepEqual([aud, sub], ['https://push.example', 'mailto:f@x.example'])
    assert.equal(key, (await readPushKeys(dataDir)).publicKey)
    assert.equal((await mailsTo(db, asker)).length, 1)
    assert.notEqual((await rowOf(db, 'push_subscriptions', { person_id: asker.id })).last_sent_at, null)
    await tell()
    assert.equal(sent.length, 1, 'nothing is told twice')
  })

  test('is one for each question, in the reader’s language, and names nobody whom they may not know', async (t) => {
    const { db, question, tell, told } = await anAsker(t, { language: 'ko' })
    const secret = await aPerson(db, { displayName: 'Quokka Canary' })
    for (const _answer of [1, 2]) await anAnswer(db, { question, author: secret, isAnonymous: true })
    await tell()
    const [only = assert.fail(), ...more] = told()
    assert.equal(more.length, 0)
    assert.doesNotMatch(JSON.stringify(only), /Quokka/)
    assert.match(JSON.stringify(only), /님이 답변했습니다/)
  })

  test('is behind those of answers when it tells of an announcement', async (t) => {
    const { db, question, kind } = await anAsker(t)
    const priorities = async () => valuesOf(await rowsOf(db, 'jobs', { kind: 'push' }), 'priority')
    await anAnswer(db, { question })
    await kind.plan?.()
    assert.deepEqual(await priorities(), [1])
    const { id: authorId } = await aPerson(db)
    const { courseId } = question
    await anAnnouncement(db, { courseId, authorId, title: 'The room', body: 'Is another one.' })
    await kind.plan?.()
    assert.deepEqual(await priorities(), [1, 2])
  })

  test('goes to nobody who wants no mail, and of nothing of one’s own', async (t) => {
    const { db, asker, question, tell, sent } = await anAsker(t)
    await anAnswer(db, { question, author: asker })
    await tell()
    await setRows(db, 'people', {}, { mail_rhythm: 'never' })
    await anAnswer(db, { question })
    await tell()
    assert.equal(sent.length, 0)
  })

  test('goes by choices of its own: without emails, at once beside weekly ones, or never', async (t) => {
    const { db, asker, question, tell, sent } = await anAsker(t)
    const told = async (choice: Partial<Row<'people'>>) => {
      await setRows(db, 'people', asker.id, choice)
      sent.length = 0
      await db.deleteFrom('mails').execute()
      await anAnswer(db, { question })
      await tell()
      return { mails: (await mailsTo(db, asker)).length, pushes: sent.length }
    }
    for (const mail_rhythm of ['never', 'weekly'] as const)
      assert.deepEqual(await told({ mail_rhythm, push_rhythm: 'soon' }), { mails: 0, pushes: 1 })
    assert.deepEqual(await told({ push_rhythm: 'mails' }), { mails: 0, pushes: 0 })
    await sql`delete from deliveries`.execute(db)
    assert.deepEqual(await told({ mail_rhythm: 'soon', push_rhythm: 'never' }), { mails: 1, pushes: 0 })
    const onlyPushed = { mails_off: ['answered'], pushes_off: [] }
    assert.deepEqual(await told({ push_rhythm: 'mails', ...onlyPushed }), { mails: 0, pushes: 1 })
  })

  type Happening = (forum: Awaited<ReturnType<typeof anAsker>>, answer: number) => Promise<unknown>
  const BEFORE_IT_IS_SENT: Record<string, Happening> = {
    'was seen': ({ db, asker }) => within(db, markAllSeen, asker.id),
    'was deleted': ({ db, question }, answer) => within(db, deleteAnswer, question.id, answer),
    'was hidden by staff': ({ db }, answer) => within(db, hidePost, { table: 'answers', id: answer }),
    'may not be read any more': ({ db }) =>
      setRows(db, 'questions', {}, { audience: 'staff', author_id: sql`(select max(id) from people)` }),
    'was muted': ({ db }) => setRows(db, 'question_follows', {}, { level: 'mute' }),
    'is not wanted any more': ({ db }) => setRows(db, 'people', {}, { push_rhythm: 'never' }),
    'is of a kind that was switched off': ({ db }) => setRows(db, 'people', {}, { pushes_off: ['answered'] }),
    'is for a session that ended': ({ db }) => sql`delete from sessions`.execute(db),
    'is for a session that ended by time': ({ db }) =>
      setRows(db, 'sessions', {}, { last_seen_at: sql`now() - interval '31 days'` }),
  }
  for (const [name, change] of Object.entries(BEFORE_IT_IS_SENT))
    test(`is not sent of what ${name}`, async (t) => {
      const forum = await anAsker(t)
      const answer = await anAnswer(forum.db, { question: forum.question })
      // Its job is queued.
      await forum.kind.plan?.()
      await change(forum, answer.id)
      await doJobs(forum.db, forum.kind)
      assert.equal(forum.sent.length, 0)
      const errors = valuesOf(await rowsOf(forum.db, 'jobs', { kind: 'push' }), 'last_error')
      assert.ok(
        errors.every((error) => error === null),
        'nothing is left to try',
      )
    })

  for (const status of [404, 410])
    test(`is the last one after the push service answered ${status}`, async (t) => {
      const { db, question, tell, answers } = await anAsker(t)
      await anAnswer(db, { question })
      assert.equal(await count(db), 1)
      answers(status)
      await tell()
      assert.equal(await count(db), 0)
    })

  test('is tried again after any other failure', async (t) => {
    const { db, question, tell, sent, answers } = await anAsker(t)
    await anAnswer(db, { question })
    answers(503)
    await assert.rejects(tell(), /503/)
    assert.equal(await count(db), 1)
    answers(201)
    await setRows(db, 'jobs', {}, { due_at: new Date() })
    await tell()
    assert.equal(sent.length, 1)
  })

  test('goes to no browser that subscribed with another key of the forum', async (t) => {
    const { db, question, tell, sent, dataDir } = await anAsker(t)
    await rm(join(dataDir, 'push-keys.json'))
    await anAnswer(db, { question })
    await tell()
    assert.deepEqual([sent.length, await count(db)], [0, 0])
  })
})

suite('switching pushes on', () => {
  test('is for the browser that asks, takes it over from whoever used it before, and is switched off there', async (t) => {
    const [db, dataDir] = [await testDatabase(t), await aFolder(t)]
    const app = await testApp(t, db, { dataDir })
    const [one, other] = [await signedIn(app, await aPerson(db)), await signedIn(app, await aPerson(db))]
    const page = '/settings/notifications'
    const { subscription } = aPushBrowser()
    assert.match((await one.get(page)).body, /data-push="[\w-]{87}"/)
    assert.equal((await one.post(`${page}/push`, { ...subscription })).statusCode, 303)
    assert.match((await one.get(page)).body, /push\/end"/)
    assert.doesNotMatch((await other.get(page)).body, /push\/end"/)
    await other.post(`${page}/push`, { ...subscription })
    assert.doesNotMatch((await one.get(page)).body, /push\/end"/)
    assert.equal(await count(db), 1)
    await other.post(`${page}/push/end`)
    assert.equal(await count(db), 0)
  })

  test('is refused for what no browser sends', async (t) => {
    const db = await testDatabase(t)
    const browser = await signedIn(await testApp(t, db), await aPerson(db))
    const { subscription } = aPushBrowser()
    const hosts = ['127.0.0.1', '[::1]', 'push.example:8443', 'me@push.example', 'localhost', '0x7f.1']
    const endpoints = ['http://push.example/a', 'x', `https://push.example/${'a'.repeat(1000)}`]
    const bad = [...endpoints, ...hosts.map((host) => `https://${host}/a`)].map((endpoint) => ({ endpoint }))
    for (const field of [...bad, { auth: 'x' }, { p256dh: 'A'.repeat(87) }]) {
      const { success } = subscriptionSchema.safeParse({ ...subscription, ...field })
      assert.ok(!success, JSON.stringify(field))
    }
    assert.equal((await browser.post('/settings/notifications/push')).statusCode, 422)
    assert.equal(await count(db), 0)
  })

  test('is for five browsers of a person: the oldest goes, and each ends with its session', async (t) => {
    const { db, asker, dataDir } = await anAsker(t)
    const { publicKey } = await readPushKeys(dataDir)
    const names = Array.from({ length: MAX_SUBSCRIPTIONS }, (_, more) => `more-${more}`)
    for (const name of names) {
      const session = { personId: asker.id, sessionToken: await beginSession(db, asker.id, 'a test') }
      await subscribe(db, session, aPushBrowser(name).subscription, publicKey)
    }
    const kept = await rowsOf(db, 'push_subscriptions', {})
    assert.deepEqual(kept.map(({ endpoint }) => endpoint.slice(-6)).toSorted(), names)
    assert.equal(names.length, 5)
    await db.deleteFrom('sessions').where('person_id', '=', asker.id).execute()
    assert.equal(await count(db), 0)
  })
})

test('the keys are made once by many who need them, and are readable by their owner only', async (t) => {
  const folder = await aFolder(t)
  const all = await Promise.all(Array.from({ length: 8 }, () => readPushKeys(join(folder, 'data'))))
  assert.equal(new Set(all.map(({ privateKey }) => privateKey)).size, 1)
  assert.deepEqual(await readdir(join(folder, 'data')), ['push-keys.json'])
  assert.equal((await stat(join(folder, 'data/push-keys.json'))).mode & 0o777, 0o600)
})

suite('where pushes are posted to', () => {
  test('is never an address of a network of one’s own', async (t) => {
    const connections: unknown[] = []
    const server = createServer((socket) => {
      connections.push(socket)
      socket.on('error', () => undefined)
      socket.destroy()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    atEnd(t, async () => {
      server.close()
    })
    const push = { endpoint: '', headers: {}, body: Buffer.from('x') }
    for (const host of ['127.0.0.1', 'localhost']) {
      push.endpoint = `https://${host}:${(server.address() as AddressInfo).port}/`
      await assert.rejects(pushService()(push, new AbortController().signal), /not public/)
    }
    assert.equal(connections.length, 0)
    await assert.rejects(pushService(new GuardedClient(() => true))(push, new AbortController().signal))
    assert.equal(connections.length, 1, 'the check alone keeps it from there')
  })
})

test('the service worker is at the root, asked for anew each time, and answers no requests', async (t) => {
  const app = await testApp(t, await testDatabase(t))
  const { statusCode, headers, body } = await app.inject('/sw.js')
  const { 'content-type': type, 'cache-control': caching } = headers
  assert.deepEqual([statusCode, type, caching], [200, 'text/javascript; charset=utf-8', 'no-cache'])
  assert.doesNotMatch(body, /fetch/)
})
