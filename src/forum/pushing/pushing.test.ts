import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { beginSession } from '../../accounts/sessions/sessions.ts'
import type { Database } from '../../database/schema.ts'
import { doJobs } from '../../jobs/do-jobs.ts'
import { SECRET, silentLog, testApp } from '../../testing/app.ts'
import { atEnd } from '../../testing/at-end.ts'
import { signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { anAnnouncement, deleteAnswer } from '../../testing/posts.ts'
import { within } from '../../testing/within.ts'
import { GuardedClient } from '../../web/guarded-fetch.ts'
import { mailDue } from '../mailing/notifier.ts'
import { hidePost } from '../posts/removal.ts'
import { markAllSeen } from '../telling/read.ts'
import { type Push, pushService, readPushKeys } from './push-service.ts'
import { pushKind } from './send-push.ts'
import { MAX_SUBSCRIPTIONS, subscribe } from './subscriptions.ts'
import { aPushBrowser, senderOf } from './testing.ts'

const BASE_URL = 'https://forum.example'
const NEWS = { baseUrl: BASE_URL, secret: SECRET, soonSeconds: 0, isSent: false, replyAddress: null }

async function aFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'push-'))
  atEnd(t, () => rm(folder, { recursive: true }))
  return folder
}

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
  const kind = pushKind(db, {
    baseUrl: BASE_URL,
    mailFrom: 'f@x.example',
    soonSeconds: 0,
    keys: () => readPushKeys(dataDir),
    post,
  })
  return {
    db,
    course,
    asker,
    question,
    browser,
    dataDir,
    sent,
    answers: (next: number) => {
      status = next
    },
    mail: () => mailDue(db, silentLog(), NEWS),
    kind,
    push: () => doJobs(db, kind),
    /** Everything that was pushed, as the browser reads it. */
    told: () => sent.map(browser.read),
  }
}

const count = async (db: Database) =>
  (await db.selectFrom('push_subscriptions').select('id').execute()).length

suite('a push of what is new', () => {
  test('has who did what and where it leads, sealed for the browser and signed by the forum; it is mailed, too', async (t) => {
    const { db, asker, question, mail, push, sent, told, dataDir } = await anAsker(t)
    const mara = await aPerson(db, { displayName: 'Mara' })
    const answer = await anAnswer(db, { question, author: mara, body: 'A text that stays here' })
    await mail()
    await push()
    assert.deepEqual(told(), [
      {
        title: 'Mara answered: May I leave the links out?',
        url: `${BASE_URL}/questions/${question.id}/may-i-leave-the-links-out#answer-${answer.id}`,
      },
    ])
    const [{ headers } = assert.fail()] = sent
    assert.equal(headers.TTL, '86400')
    const sender = senderOf(sent[0] ?? assert.fail())
    assert.equal(sender.aud, 'https://push.example')
    assert.equal(sender.sub, 'mailto:f@x.example')
    assert.equal(sender.key, (await readPushKeys(dataDir)).publicKey)
    const mails = await db.selectFrom('mails').select('id').where('person_id', '=', asker.id).execute()
    assert.equal(mails.length, 1)
    const { rows } = await sql`select from push_subscriptions where last_sent_at is not null`.execute(db)
    assert.equal(rows.length, 1)
    await mail()
    await push()
    assert.equal(sent.length, 1, 'nothing is told twice')
  })

  test('is one for each question, in the reader’s language, and names nobody whom they may not know', async (t) => {
    const { db, question, mail, push, told } = await anAsker(t, { language: 'ko' })
    const secret = await aPerson(db, { displayName: 'Quokka Canary' })
    for (const _answer of [1, 2]) await anAnswer(db, { question, author: secret, isAnonymous: true })
    await mail()
    await push()
    const [only = assert.fail(), ...more] = told()
    assert.equal(more.length, 0)
    assert.doesNotMatch(JSON.stringify(only), /Quokka/)
    assert.match(JSON.stringify(only), /님이 답변했습니다/)
  })

  test('is behind those of answers when it tells of an announcement', async (t) => {
    const { db, question, kind } = await anAsker(t)
    const priorities = async () =>
      (
        await sql<{ priority: number }>`select priority from jobs where kind = 'push' order by id`.execute(db)
      ).rows.map(({ priority }) => priority)
    await anAnswer(db, { question })
    await kind.plan?.()
    assert.deepEqual(await priorities(), [1])
    const { id: authorId } = await aPerson(db)
    const said = {
      courseId: question.courseId,
      authorId,
      title: 'The room',
      body: 'Is another one.',
      correctsId: null,
    }
    await anAnnouncement(db, said)
    await kind.plan?.()
    assert.deepEqual(await priorities(), [1, 2])
  })

  test('goes to nobody who wants no mail, and of nothing of one’s own', async (t) => {
    const { db, asker, question, mail, push, sent } = await anAsker(t)
    await anAnswer(db, { question, author: asker })
    await mail()
    await push()
    await sql`update people set mail_rhythm = 'never'`.execute(db)
    await anAnswer(db, { question })
    await mail()
    await push()
    assert.equal(sent.length, 0)
  })

  test('goes by choices of its own: without emails, at once beside weekly ones, or never', async (t) => {
    const { db, asker, question, mail, push, sent } = await anAsker(t)
    const choose = (mails: string, pushes: string) =>
      sql`update people set mail_rhythm = ${mails}, push_rhythm = ${pushes} where id = ${asker.id}`.execute(
        db,
      )
    const told = async () => {
      sent.length = 0
      await db.deleteFrom('mails').execute()
      await anAnswer(db, { question })
      await mail()
      await push()
      const mails = await db.selectFrom('mails').select('id').where('person_id', '=', asker.id).execute()
      return { mails: mails.length, pushes: sent.length }
    }
    await choose('never', 'soon')
    assert.deepEqual(await told(), { mails: 0, pushes: 1 })
    await choose('weekly', 'soon')
    assert.deepEqual(await told(), { mails: 0, pushes: 1 })
    await choose('weekly', 'mails')
    assert.deepEqual(await told(), { mails: 0, pushes: 0 })
    await sql`delete from deliveries`.execute(db)
    await choose('soon', 'never')
    assert.deepEqual(await told(), { mails: 1, pushes: 0 })
    await choose('soon', 'mails')
    await db
      .updateTable('people')
      .set({ mails_off: ['answered'], pushes_off: [] })
      .execute()
    assert.deepEqual(await told(), { mails: 0, pushes: 1 })
  })

  const BEFORE_IT_IS_SENT: Record<
    string,
    (forum: Awaited<ReturnType<typeof anAsker>>, answer: number) => Promise<unknown>
  > = {
    'was seen': ({ db, asker }) => within(db, markAllSeen, asker.id),
    'was deleted': ({ db, question }, answer) => within(db, deleteAnswer, question.id, answer),
    'was hidden by staff': ({ db }, answer) => within(db, hidePost, { table: 'answers', id: answer }),
    'may not be read any more': ({ db }) =>
      sql`with q as (update questions set audience = 'staff', author_id = (select max(id) from people)) select`.execute(
        db,
      ),
    'was muted': ({ db }) => sql`update question_follows set level = 'mute'`.execute(db),
    'is not wanted any more': ({ db }) => sql`update people set push_rhythm = 'never'`.execute(db),
    'is of a kind that was switched off': ({ db }) =>
      sql`update people set pushes_off = array['answered']`.execute(db),
    'is for a session that ended': ({ db }) => sql`delete from sessions`.execute(db),
    'is for a session that ended by time': ({ db }) =>
      sql`update sessions set last_seen_at = now() - interval '31 days'`.execute(db),
    'is for somebody who left': ({ db, asker }) =>
      sql`delete from sessions where person_id = ${asker.id}`.execute(db),
  }
  for (const [name, change] of Object.entries(BEFORE_IT_IS_SENT))
    test(`is not sent of what ${name}`, async (t) => {
      const forum = await anAsker(t)
      const answer = await anAnswer(forum.db, { question: forum.question })
      // Its job is queued.
      await forum.kind.plan?.()
      await change(forum, answer.id)
      await forum.push()
      assert.equal(forum.sent.length, 0)
      const { rows } = await sql`select from jobs where kind = 'push' and last_error is not null`.execute(
        forum.db,
      )
      assert.equal(rows.length, 0, 'nothing is left to try')
    })

  for (const status of [404, 410])
    test(`is the last one after the push service answered ${status}`, async (t) => {
      const { db, question, mail, push, answers } = await anAsker(t)
      await anAnswer(db, { question })
      await mail()
      assert.equal(await count(db), 1)
      answers(status)
      await push()
      assert.equal(await count(db), 0)
    })

  test('is tried again after any other failure', async (t) => {
    const { db, question, mail, push, sent, answers } = await anAsker(t)
    await anAnswer(db, { question })
    await mail()
    answers(503)
    await assert.rejects(push(), /503/)
    assert.equal(await count(db), 1)
    answers(201)
    await sql`update jobs set due_at = now()`.execute(db)
    await push()
    assert.equal(sent.length, 1)
  })

  test('goes to no browser that subscribed with another key of the forum', async (t) => {
    const { db, question, mail, push, sent, dataDir } = await anAsker(t)
    await rm(join(dataDir, 'push-keys.json'))
    await anAnswer(db, { question })
    await mail()
    await push()
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
    const [db, dataDir] = [await testDatabase(t), await aFolder(t)]
    const app = await testApp(t, db, { dataDir })
    const browser = await signedIn(app, await aPerson(db))
    const { subscription } = aPushBrowser()
    const bad = [
      ...['http://push.example/a', 'https://127.0.0.1/a', 'https://[::1]/a', 'https://push.example:8443/a'],
      ...[
        'https://me@push.example/a',
        'https://localhost/a',
        'https://0x7f.1/a',
        'x',
        `https://push.example/${'a'.repeat(1000)}`,
      ],
    ].map((endpoint) => ({ ...subscription, endpoint }))
    for (const fields of [
      ...bad,
      { ...subscription, auth: 'x' },
      { ...subscription, p256dh: 'A'.repeat(87) },
      {},
    ])
      assert.equal(
        (await browser.post('/settings/notifications/push', fields)).statusCode,
        422,
        JSON.stringify(fields),
      )
    assert.equal(await count(db), 0)
  })

  test('is for five browsers of a person: the oldest goes, and each ends with its session', async (t) => {
    const { db, asker, dataDir } = await anAsker(t)
    const { publicKey } = await readPushKeys(dataDir)
    for (let more = 0; more < MAX_SUBSCRIPTIONS; more += 1) {
      const token = await beginSession(db, asker.id, 'a test')
      await subscribe(
        db,
        { personId: asker.id, sessionToken: token },
        aPushBrowser(`more-${more}`).subscription,
        publicKey,
      )
    }
    const kept = await db.selectFrom('push_subscriptions').select('endpoint').orderBy('id').execute()
    assert.deepEqual(
      kept.map(({ endpoint }) => endpoint.slice(-6)),
      ['more-0', 'more-1', 'more-2', 'more-3', 'more-4'],
    )
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
  assert.equal(statusCode, 200)
  assert.equal(headers['content-type'], 'text/javascript; charset=utf-8')
  assert.equal(headers['cache-control'], 'no-cache')
  assert.doesNotMatch(body, /fetch/)
})
