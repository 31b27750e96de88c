import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { hashPassword } from '../../accounts/identity/passwords.ts'
import { PASSWORD } from '../../accounts/testing.ts'
import { doJobs } from '../../jobs/do-jobs.ts'
import { act, refusalOf, refuses } from '../../testing/act.ts'
import { SECRET } from '../../testing/app.ts'
import { signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, aPerson, type MadeCourse, type MadePerson } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { textOf } from '../../testing/page.ts'
import { rowOf, rowsOf, setRows, valuesOf } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { caseOf, decided, reported } from '../cases/testing.ts'
import { removeMember } from '../courses/roles.ts'
import { MOST } from './kinds.ts'
import {
  webhookChange,
  webhookEnding,
  webhookMaking,
  webhookRedelivery,
  webhookSecretRotation,
  webhookTakeover,
  webhookTest,
} from './operations.ts'
import { addWebhookRow, RECEIVER } from './row-testing.ts'
import { webhookStopKind } from './stops.ts'
import { WEBHOOK_SECRET } from './testing.ts'
import { openWebhook, renewWebhooks, stopWebhook, unreadableWebhooks } from './webhook.ts'

const SLACK = 'https://hooks.slack.com/services/T0123/B0123/the-secret-of-the-channel'
const PROGRAM = { kind: 'standard', url: RECEIVER, types: 'question.created answer.accepted' }
const CHANNEL = { kind: 'slack', url: SLACK, chat: 'new daily' }

suite('webhooks', () => {
  const forum = sharedForum()

  /** A course with two instructors, and who else is about. */
  async function aScene() {
    const { app, db } = forum
    const course = await aCourse(db, { isPublic: false })
    const passwordHash = await hashPassword(PASSWORD)
    const instructor = await aMember(db, course, 'instructor', await aPerson(db, { passwordHash }))
    const place = { slug: course.slug, keys: app.secretKeys, reach: app.config }
    const keyOf = (webhookId: number) => ({ ...place, webhookId })
    return {
      ...{ app, db, course, instructor, place, keyOf, path: `/courses/${course.slug}/settings/webhooks` },
      other: await aMember(db, course, 'instructor'),
      by: { actor: instructor, key: place },
      browser: await signedIn(app, instructor, ['password']),
      make: (ownerId = instructor.id) => addWebhookRow(db, { courseId: course.id, ownerId }),
      rowOf: (id: number) => rowOf(db, 'webhooks', id),
      stops: () => doJobs(db, webhookStopKind(db, { baseUrl: 'https://forum.example' })),
      mails: async () => {
        const mails = await db.selectFrom('mails').select(['kind', 'recipient', 'subject', 'text']).execute()
        await db.deleteFrom('mails').execute()
        return mails
      },
    }
  }

  test('are made by instructors, with a secret of a program that is shown once', async () => {
    const { app, db, course, browser, path, instructor } = await aScene()
    const made = await browser.post(path, PROGRAM)
    assert.equal(made.statusCode, 200)
    const [secret = ''] = /whsec_[\w+/]{43}=/.exec(made.body) ?? []
    const row = await rowOf(db, 'webhooks', { course_id: course.id })
    assert.deepEqual(openWebhook(app.secretKeys, row), { address: RECEIVER, secrets: [secret] })
    assert.equal(row.owner_id, instructor.id)
    assert.deepEqual(row.types, ['question.created', 'answer.accepted'])
    for (const page of [path, `${path}/${row.id}`]) {
      const { body, statusCode } = await browser.get(page)
      assert.equal(statusCode, 200)
      assert.match(textOf(body), /Any program · receiver\.example\/…eirs/)
      assert.doesNotMatch(body, /whsec_|a-long-secret/)
    }
    const [own] = (await browser.get('/settings/account/data')).json().webhooks
    assert.deepEqual([own.course, own.address], [course.title, 'receiver.example/…eirs'])
    const { rows } = await sql<{ text: string }>`
      select detail::text as text from audit union all select w::text from webhooks as w`.execute(db)
    const text = valuesOf(rows, 'text').join()
    for (const plain of ['whsec_', 'a-long-secret', Buffer.from(RECEIVER).toString('hex')])
      assert.ok(text !== '' && !text.includes(plain), plain)
  })

  test('of a chat have no secret, and say what they are told', async () => {
    const { db, course, browser, path } = await aScene()
    const made = await browser.post(path, { ...CHANNEL, chat: ['new', 'late'] })
    const { id, ...row } = await rowOf(db, 'webhooks', { course_id: course.id })
    assert.equal(made.headers.location, `${path}/${id}`)
    assert.deepEqual([row.kind, row.chat, row.types, row.secret], ['slack', ['new', 'late'], [], null])
    const page = (await browser.get(`${path}/${id}`)).body
    assert.match(page, /value="new"\s+checked/)
    assert.match(page, /value="late"\s+checked/)
    assert.match(page, /value="daily"\s*>/)
    assert.doesNotMatch(page, /name="(?:names|private)"|New signing secret/)
  })

  test('are refused with what to do instead', async () => {
    const { by, place, course, keyOf, make, db } = await aScene()
    await refuses(forum, webhookMaking, by, [
      [{ ...PROGRAM, kind: 'x' }, 'kind: forms.choice'],
      [{ ...PROGRAM, url: '' }, 'url: webhooks.url.wrong'],
      [{ ...PROGRAM, url: 'http://receiver.example/' }, 'url: webhooks.url.https'],
      [{ ...PROGRAM, types: '' }, 'types: webhooks.types.none'],
      [{ ...PROGRAM, types: 'webhook.test' }, 'types: forms.choice'],
      [{ ...PROGRAM, types: 'questionxcreated' }, 'types: forms.choice'],
      [{ ...PROGRAM, names: 'perhaps' }, 'names: forms.choice'],
      [{ ...CHANNEL, chat: '' }, 'chat: webhooks.types.none'],
      [{ ...CHANNEL, url: RECEIVER }, 'url: webhooks.url.slack'],
      [{ ...CHANNEL, names: '1' }, 'names: webhooks.chat.never'],
      [{ ...CHANNEL, private: '1' }, 'private: webhooks.chat.never'],
    ])
    const id = await make()
    await setRows(db, 'webhooks', id, { stopped: 'gone', stopped_at: new Date() })
    assert.equal(await refusalOf(forum, webhookTest, { ...by, key: keyOf(id) }), 'stopped: webhooks.isOff')
    for (const role of ['learner', 'assistant'] as const) {
      const actor = await aMember(db, course, role)
      assert.equal(await refusalOf(forum, webhookMaking, { actor, key: place, input: PROGRAM }), 'forbidden')
    }
  })

  test('come with what was typed when they are refused, and ask who it is', async () => {
    const { app, db, course, instructor, path } = await aScene()
    const browser = await signedIn(app, instructor)
    const typed = { ...PROGRAM, types: ['reply.created', 'course.imported'], private: '1' }
    const refused = await browser.post(path, { ...typed, current_password: 'not this one' })
    assert.equal(refused.statusCode, 422)
    for (const kept of [`value="${RECEIVER}"`, 'name="current_password"', 'name="kind" value="standard"'])
      assert.ok(refused.body.includes(kept), kept)
    assert.match(refused.body, /value="reply\.created"\s+checked/)
    assert.match(refused.body, /value="course\.imported"\s+checked/)
    assert.match(refused.body, /name="private"\s+value="1"\s+checked/)
    assert.doesNotMatch(refused.body, /value="question\.created"\s+checked|not this one/)
    const wrong = await browser.post(path, { ...typed, url: 'http://10.0.0.1/', current_password: PASSWORD })
    assert.equal(wrong.statusCode, 422)
    assert.match(textOf(wrong.body), /private network/)
    assert.deepEqual(await rowsOf(db, 'webhooks', { course_id: course.id }), [])
  })

  test('are ten in a course, and fifty in the forum', async () => {
    const { db, by, make, app } = await aScene()
    for (let count = 1; count < MOST.course; count += 1) await make()
    await act(forum, webhookMaking, { ...by, input: PROGRAM })
    assert.equal(await refusalOf(forum, webhookMaking, { ...by, input: PROGRAM }), 'url: webhooks.many')
    const admin = await aPerson(db, { isAdmin: true })
    const place = { slug: null, keys: app.secretKeys, reach: app.config }
    for (let count = 1; count < MOST.forum; count += 1) await addWebhookRow(db, { ownerId: admin.id })
    await act(forum, webhookMaking, { actor: admin, key: place, input: CHANNEL })
    const refusal = await refusalOf(forum, webhookMaking, { actor: admin, key: place, input: CHANNEL })
    assert.equal(refusal, 'url: webhooks.many')
    await db.deleteFrom('webhooks').where('course_id', 'is', null).execute()
  })

  test('change, and keep their address unless another is typed', async () => {
    const { by, keyOf, make, rowOf, app } = await aScene()
    const id = await make()
    const changing = { ...by, key: keyOf(id) }
    await act(forum, webhookChange, { ...changing, input: { types: 'reply.created', names: '1' } })
    const changed = await rowOf(id)
    const { types, with_names, with_private } = changed
    assert.deepEqual(
      { types, with_names, with_private },
      { types: ['reply.created'], with_names: true, with_private: false },
    )
    assert.equal(openWebhook(app.secretKeys, changed).address, RECEIVER)
    const url = 'https://elsewhere.example/hook'
    await act(forum, webhookChange, { ...changing, input: { url, types: 'reply.created' } })
    const moved = await rowOf(id)
    assert.equal(openWebhook(app.secretKeys, moved).address, url)
    assert.deepEqual([moved.shown_address, moved.with_names], ['elsewhere.example/…', false])
  })

  test('sign with the secret before as well, for a day after they got a new one', async () => {
    const { db, by, keyOf, make, rowOf, app, browser, path } = await aScene()
    const id = await make()
    const { secret } = await act(forum, webhookSecretRotation, { ...by, key: keyOf(id) })
    assert.deepEqual(openWebhook(app.secretKeys, await rowOf(id)).secrets, [secret, WEBHOOK_SECRET])
    await sql`update webhooks set former_secret_until = now() where id = ${id}`.execute(db)
    assert.deepEqual(openWebhook(app.secretKeys, await rowOf(id)).secrets, [secret])
    const shown = await browser.post(`${path}/${id}/secret`, { types: 'reply.created' })
    assert.match(shown.body, /whsec_/)
    const courseId = (await rowOf(id)).course_id
    const chat = await addWebhookRow(db, { ownerId: by.actor.id, courseId, kind: 'slack', address: SLACK })
    assert.equal(await refusalOf(forum, webhookSecretRotation, { ...by, key: keyOf(chat) }), 'notFound')
  })

  test('are sealed anew with another SECRET, and named where none opens them', async () => {
    const { db, make, rowOf, by, keyOf } = await aScene()
    await db.deleteFrom('webhooks').execute()
    const id = await make()
    const { secret } = await act(forum, webhookSecretRotation, { ...by, key: keyOf(id) })
    const NEW = 'a new secret of 32 characters or more'
    assert.deepEqual(await unreadableWebhooks(db, [NEW]), ['receiver.example/…eirs'])
    const row = await rowOf(id)
    assert.throws(() => openWebhook([NEW], row), /SECRET/)
    assert.equal(await renewWebhooks(db, [NEW, SECRET]), 1)
    assert.equal(await renewWebhooks(db, [NEW, SECRET]), 0)
    const secrets = [secret, WEBHOOK_SECRET]
    assert.deepEqual(openWebhook([NEW], await rowOf(id)), { address: RECEIVER, secrets })
    await db.deleteFrom('webhooks').execute()
  })

  /** Somebody's webhook after what they did, or what was done to them. */
  const losses: Readonly<
    Record<string, (scene: { course: MadeCourse; owner: MadePerson; other: MadePerson }) => Promise<unknown>>
  > = {
    'loses the role': ({ course, owner }) => within(forum.db, removeMember, course.id, owner.id),
    async 'is suspended'({ course, owner, other }) {
      const subject = { about: 'person', id: owner.id } as const
      await reported(forum.db, subject, other.id)
      const admin = await aPerson(forum.db, { isAdmin: true })
      const matter = await caseOf(forum.db, subject)
      await setRows(forum.db, 'cases', matter.id, { course_id: course.id })
      assert.ok(await decided(forum.db, admin.id, matter, ['suspend'], { note: 'Wait.' }))
      // Only those who instruct are told.
      await setRows(forum.db, 'people', admin.id, { is_admin: false })
    },
    'is gone': ({ owner }) =>
      forum.db.updateTable('webhooks').set({ owner_id: null }).where('owner_id', '=', owner.id).execute(),
  }
  for (const [what, lose] of Object.entries(losses))
    test(`pause when their owner ${what}: the other instructors get an email, and one takes over`, async () => {
      const { db, course, other, make, rowOf, stops, mails, keyOf, app, path } = await aScene()
      const owner = await aMember(db, course, 'instructor')
      const id = await make(owner.id)
      assert.equal(await stops(), 0)
      await lose({ course, owner, other })
      await mails()
      const takingOver = await signedIn(app, other)
      assert.match(textOf((await takingOver.get(`${path}/${id}`)).body), /Paused.*Take over/s)
      assert.equal(await stops(), 1)
      assert.equal((await rowOf(id)).stopped, 'owner')
      const told = await mails()
      assert.ok(told.every(({ kind }) => kind === 'webhookPaused'))
      assert.ok(told.some(({ recipient }) => recipient === other.email))
      assert.ok(!told.some(({ recipient }) => recipient === owner.email) || what === 'is gone')
      const [mail] = told
      assert.equal(mail?.subject, `A webhook of ${course.title} is paused`)
      assert.ok(mail?.text.includes(`https://forum.example${path}/${id}`))
      assert.doesNotMatch(mail?.text ?? '', /a-long-secret/)
      assert.equal(await stops(), 0, 'they are told once')
      const key = keyOf(id)
      await act(forum, webhookTakeover, { actor: other, key })
      const { owner_id, stopped } = await rowOf(id)
      assert.deepEqual([owner_id, stopped], [other.id, null])
      assert.equal(await stops(), 0)
    })

  test('that failed, or are gone, are off with an email to their owner and the instructors', async () => {
    const { db, make, rowOf, stops, mails, instructor, other, browser, path, by, keyOf } = await aScene()
    for (const [why, kind] of [
      ['failing', 'webhookFailing'],
      ['gone', 'webhookGone'],
    ] as const) {
      const id = await make()
      await act(forum, webhookTest, { ...by, key: keyOf(id) })
      await mails()
      await within(db, stopWebhook, id, why)
      const waiting = await rowsOf(db, 'webhook_deliveries', { webhook_id: id, done_at: null })
      assert.deepEqual(waiting, [], 'what waited is not sent any more')
      await within(db, stopWebhook, id, 'owner')
      assert.equal((await rowOf(id)).stopped, why)
      assert.equal(await stops(), 1)
      const told = await mails()
      assert.deepEqual([...new Set(told.map((mail) => mail.kind))], [kind])
      assert.deepEqual(told.map(({ recipient }) => recipient).sort(), [instructor.email, other.email].sort())
      assert.match(textOf((await browser.get(`${path}/${id}`)).body), /Off.*Turn on/s)
      assert.equal((await browser.post(`${path}/${id}/owner`)).statusCode, 303)
      assert.equal((await rowOf(id)).stopped, null)
    }
  })

  test('have a page with the last hundred deliveries, in words that tell nothing of a network', async () => {
    const { db, make, browser, path } = await aScene()
    const id = await make()
    await sql`insert into webhook_deliveries (webhook_id, message_id, what, due_at, tries, tried_at, outcome, done_at)
      select ${id}, 'msg_' || ${id} || '_' || n, 'test', now(), 1, now(), (array['unreachable', '500', 'dropped', '204'])[1 + n % 4],
        case when n % 4 in (2, 3) then now() end from generate_series(1, 120) as n`.execute(db)
    const { body } = await browser.get(`${path}/${id}`)
    assert.equal(body.match(/\/again"/g)?.length, 100)
    for (const words of [/Couldn’t connect/, /Failed \(500\)/, /Not sent/, /Delivered \(204\)/, /Next try:/])
      assert.match(textOf(body), words)
  })

  test('are tried by a test, and send again what is asked for', async () => {
    const { db, by, keyOf, make, browser, path } = await aScene()
    const id = await make()
    const deliveries = () => rowsOf(db, 'webhook_deliveries', { webhook_id: id })
    const [first] = await deliveries()
    await act(forum, webhookTest, { ...by, key: keyOf(id) })
    await act(forum, webhookTest, { ...by, key: keyOf(id) })
    const waiting = (await deliveries()).filter(({ done_at }) => done_at === null)
    const [only, ...more] = waiting.map(({ what, tries }) => [what, tries])
    assert.deepEqual([only, more], [['test', 0], []], 'one waits at most')
    const again = await browser.post(`${path}/${id}/deliveries/${first?.id}/again`)
    assert.equal(again.statusCode, 303)
    const sent = await rowOf(db, 'webhook_deliveries', first?.id ?? 0)
    assert.deepEqual([sent.message_id, sent.tries, sent.done_at], [first?.message_id, 1, null])
    const elsewhere = { ...keyOf(await make()), deliveryId: first?.id ?? 0 }
    assert.equal(await refusalOf(forum, webhookRedelivery, { ...by, key: elsewhere }), 'notFound')
  })

  test('belong to their course or to the forum, and are ended there alone', async () => {
    const { db, by, keyOf, make, place, instructor, app } = await aScene()
    const [id, foreign] = [await make(), await addWebhookRow(db, { ownerId: instructor.id })]
    const elsewhere = await addWebhookRow(db, { courseId: (await aCourse(db)).id, ownerId: instructor.id })
    for (const one of [foreign, elsewhere])
      for (const operation of [webhookEnding, webhookTakeover, webhookTest])
        assert.equal(await refusalOf(forum, operation, { ...by, key: keyOf(one) }), 'notFound')
    const ofForum = { ...place, slug: null, webhookId: foreign }
    assert.equal(await refusalOf(forum, webhookEnding, { ...by, key: ofForum }), 'forbidden')
    const admin = await aPerson(db, { isAdmin: true })
    const wrong = { ...ofForum, webhookId: id }
    assert.equal(await refusalOf(forum, webhookEnding, { actor: admin, key: wrong }), 'notFound')
    await act(forum, webhookEnding, { actor: admin, key: ofForum })
    await act(forum, webhookEnding, { ...by, key: keyOf(id) })
    const left = await rowsOf(db, 'webhooks', {})
    assert.ok(!left.some((row) => row.id === id || row.id === foreign))
    const browser = await signedIn(app, admin)
    assert.equal((await browser.get('/admin/webhooks')).statusCode, 200)
    assert.equal((await browser.get(`/admin/webhooks/${elsewhere}`)).statusCode, 404)
  })
})
