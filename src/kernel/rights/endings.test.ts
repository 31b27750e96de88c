import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, suite, test } from 'node:test'
import { sql } from 'kysely'
import { KeptApps, personOfApp } from '../../accounts/apps/access.ts'
import { agentsOn, anAppToken } from '../../accounts/apps/testing.ts'
import { closeAccount } from '../../accounts/deletion/leave.ts'
import { lockPerson } from '../../accounts/identity/lock.ts'
import { makeMailLink } from '../../accounts/identity/mail-links.ts'
import { addProviderRow } from '../../accounts/providers/row-testing.ts'
import { beginSignIn } from '../../accounts/providers/sign-ins.ts'
import {
  ENDINGS,
  type Ending,
  endingsTable,
  fateOf,
  KEYS,
  UNTOUCHED,
} from '../../accounts/sessions/endings.ts'
import { beginSession } from '../../accounts/sessions/sessions.ts'
import { makeSignInLink } from '../../accounts/sign-in/links.ts'
import { setPassword } from '../../accounts/sign-in/sign-up.ts'
import { aCourseToken, aToken } from '../../accounts/tokens/testing.ts'
import type { Role, Write } from '../../database/schema.ts'
import { aProgram } from '../../doors/api/testing.ts'
import { readMail } from '../../forum/answering-by-mail/read-mail.ts'
import { receiveMail } from '../../forum/answering-by-mail/receive.ts'
import { caseOf, decided, reported } from '../../forum/cases/testing.ts'
import { course as findCourse } from '../../forum/courses/find-course.ts'
import { giveRole, removeMember } from '../../forum/courses/roles.ts'
import { mailDue } from '../../forum/mailing/notifier.ts'
import { listInvitations, makeInvitation } from '../../forum/members/invitations.ts'
import { mergeAccounts } from '../../forum/merging/merge.ts'
import { undoMerge } from '../../forum/merging/undo.ts'
import { hideCourse, restoreCourse } from '../../forum/purging/course-deletion.ts'
import type { Push } from '../../forum/pushing/push-service.ts'
import { pushKind } from '../../forum/pushing/send-push.ts'
import { subscribe } from '../../forum/pushing/subscriptions.ts'
import { aPushBrowser, KEYS as PUSH_KEYS } from '../../forum/pushing/testing.ts'
import { addWebhookRow } from '../../forum/webhooks/row-testing.ts'
import { findWebhook } from '../../forum/webhooks/webhook.ts'
import { doJobs } from '../../jobs/do-jobs.ts'
import { SECRET, silentLog } from '../../testing/app.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion } from '../../testing/builders.ts'
import { sharedForum, type TestForum } from '../../testing/forum.ts'
import { newToken } from '../../web/tokens.ts'
import { OPERATOR, readActor } from '../actor.ts'
import { type Person, suspensionIn } from './person.ts'
import { may } from './rights.ts'

const BASE_URL = 'https://forum.example'
const REPLY_ADDRESS = 'reply@forum.example'
const WHERE = { baseUrl: BASE_URL, language: 'en' } as const
const MAILED = {
  baseUrl: BASE_URL,
  secret: SECRET,
  soonSeconds: 0,
  isSent: false,
  replyAddress: REPLY_ADDRESS,
}

/** Somebody of a private course with a key of every kind, each of which works. */
async function aScene({ app, db }: TestForum, role: Role = 'learner') {
  const write = <Done>(act: (write: Write) => Promise<Done>) => db.transaction().execute(act)
  const course = await aCourse(db, { isPublic: false })
  const instructor = await aMember(db, course, 'instructor')
  const person = await aMember(db, course, role)
  const question = await aQuestion(db, { course, author: person })
  const session = await beginSession(db, person.id, 'a test')
  const invitation = {
    courseId: course.id,
    role: 'learner',
    until: null,
    timeZone: 'UTC',
    uses: null,
    madeBy: instructor.id,
  } as const
  await write((within) => makeInvitation(within, [SECRET], invitation))
  const [{ token: invited = null } = {}] = await listInvitations(db, [SECRET], course.id)
  const waiting = await aPerson(db, { isConfirmed: false })
  await write((within) => giveRole(within, course.id, waiting.email, 'assistant'))
  const own = { course_id: course.id, email: person.email, role: 'assistant' } as const
  await db.insertInto('pending_roles').values(own).execute()
  const link = (purpose: 'new-password' | 'undo-email-change') =>
    write((within) => makeMailLink(within, { personId: person.id, purpose, email: person.email }))
  const left = { providerId: await addProviderRow(db, `github-${course.id}`), browser: newToken(), path: '/' }
  await beginSignIn(db, { ...left, personId: person.id, isAgain: false })
  const { subscription } = aPushBrowser()
  await subscribe(db, { personId: person.id, sessionToken: session }, subscription, PUSH_KEYS.publicKey)
  await anAnswer(db, { question, author: instructor })
  await mailDue(db, silentLog(), MAILED)
  const mails = db.selectFrom('mails').select('headers').where('person_id', '=', person.id)
  const [mail] = await mails.execute()
  return {
    ...{ app, db, write, course, instructor, person, question, waiting, subscription },
    browser: await signedIn(app, person),
    tokens: [
      await aToken({ db }, person, ['read', 'write']),
      await aToken({ db }, person, ['read'], course.id),
    ],
    courseToken: await aCourseToken({ db }, course),
    appTokens: [
      await anAppToken(db, person, { scopes: ['read', 'draft'] }),
      await anAppToken(db, person, { scopes: ['read', 'draft'], courseIds: [course.id] }),
    ],
    webhookId: await addWebhookRow(db, { courseId: course.id, ownerId: person.id }),
    invited: invited ?? assert.fail(),
    links: [
      ['/new-password?token=', await link('new-password')].join(''),
      (await makeSignInLink(db, person.id, '')).toString(),
      ['/undo-email-change?token=', await link('undo-email-change')].join(''),
    ],
    replyTo: mail?.headers['Reply-To'] ?? assert.fail(),
  }
}
type Scene = Awaited<ReturnType<typeof aScene>>

/** What each key still does. */
const STATES: Readonly<Record<keyof typeof KEYS, (scene: Scene) => Promise<unknown>>> = {
  sessions: async ({ browser }) => (await browser.get('/settings')).statusCode,
  /** Reading and writing in the course, and reading by a token for this course alone. */
  async 'personal tokens'({ app, course, question, tokens: [whole = '', bound = ''] }) {
    const path = `/courses/${course.slug}/questions`
    const answer = { body: 'An answer of a program.' }
    return [
      (await aProgram(app, whole).get(path)).statusCode,
      (await aProgram(app, whole).send('POST', `/questions/${question.id}/answers`, answer)).statusCode,
      (await aProgram(app, bound).get(path)).statusCode,
    ]
  },
  async 'course tokens'({ app, course, courseToken }) {
    const program = aProgram(app, courseToken)
    const paths = ['questions', 'members', 'cases', 'export'].map((name) => `/courses/${course.slug}/${name}`)
    return [...new Set(await Promise.all(paths.map(async (path) => (await program.get(path)).statusCode)))]
  },
  /** What an app may do in the course, and one for this course alone. */
  async 'apps of agents'({ db, write, course, person, appTokens }) {
    const states = appTokens.map(async ({ access: token }) => {
      const access = await new KeptApps(db, null).accessOf(token)
      if (access === null) return 'ended'
      const narrowed = async (within: Write, whole: Person) =>
        (await personOfApp(within, access, whole)) ?? assert.fail()
      return write(async (within) => {
        const place = await findCourse(within, course.slug)
        const actor = await readActor(within, { id: person.id, narrowed })
        if (actor === null || actor === OPERATOR || !may(actor, 'read', place)) return 'sees nothing'
        const isSuspended = suspensionIn(actor.suspensions ?? [], place.courseId) !== null
        return may(actor, 'ask', place) && !isSuspended ? 'writes' : 'reads'
      })
    })
    return Promise.all(states)
  },
  /** The link, who joins by it, and what they may read then. */
  async 'invitation links'({ app, db, course, invited }) {
    const guest = await signedIn(app, await aPerson(db))
    const joined = await guest.post(`/join/${invited}`)
    return [joined.statusCode, (await guest.get(`/courses/${course.slug}`)).statusCode]
  },
  /** For how many addresses a role waits, in the course and in its deletion, and how many assistants there are. */
  async 'pending roles'({ db, course }) {
    const { rows } = await sql<{ counts: readonly number[] }>`
      select array[(select count(*) from pending_roles where course_id = ${course.id}),
        (select coalesce(sum(jsonb_array_length(pending)), 0) from course_deletions where course_id = ${course.id}),
        (select count(*) from course_members where course_id = ${course.id} and role = 'assistant')]::integer[] as counts`.execute(
      db,
    )
    return rows[0]?.counts
  },
  'mailed links': ({ app, links }) =>
    Promise.all(links.map(async (path) => (await visitor(app).get(path)).statusCode)),
  async 'waiting provider sign-ins'({ db, person }) {
    const begun = db.selectFrom('provider_sign_ins').select('path').where('person_id', '=', person.id)
    return (await begun.execute()).length
  },
  /** What becomes of an answer by mail, and how much is pushed of what waits. */
  async 'reply keys, push'({ db, person, replyTo, subscription }) {
    const sent: Push[] = []
    const post = async (push: Push) => {
      if (push.endpoint === subscription.endpoint) sent.push(push)
      return 201
    }
    const pushing = {
      ...{ baseUrl: BASE_URL, mailFrom: 'f@x.example', soonSeconds: 0 },
      ...{ keys: async () => PUSH_KEYS, post },
    }
    await doJobs(db, pushKind(db, pushing))
    const lines = [`From: <${person.email}>`, `To: <${replyTo}>`, `Message-ID: <${newToken()}@x.example>`]
    const mail = await readMail(Buffer.from(`${lines.join('\r\n')}\r\n\r\nOne more thing.`))
    const receiver = { replyAddress: REPLY_ADDRESS, baseUrl: BASE_URL, keys: [SECRET], log() {} } as const
    return [await receiveMail(db, receiver, mail), sent.length]
  },
  /** Why it is off. */
  async webhooks({ db, course, webhookId }) {
    const webhook = await findWebhook(db, course.id, webhookId)
    if (webhook === null) return 'ended'
    return webhook.stopped ?? (webhook.archived_at === null ? 'on' : 'quiet')
  },
}

const ACTS: Readonly<Record<Ending, (scene: Scene) => Promise<unknown>>> = {
  courseDeleted: ({ write, course }) => write((within) => hideCourse(within, course.id)),
  courseArchived: ({ db, course }) =>
    db.updateTable('courses').set({ archived_at: new Date() }).where('id', '=', course.id).execute(),
  roleLost: ({ write, course, person }) => write((within) => removeMember(within, course.id, person.id)),
  async suspension({ db, question, instructor }) {
    const subject = { about: 'question', id: question.id } as const
    await reported(db, subject, instructor.id)
    const measure = { days: 7, note: 'Wait a week.' }
    assert.ok(await decided(db, instructor.id, await caseOf(db, subject), ['suspend'], measure))
  },
  async merge({ db, write, person }) {
    const { id: intoId } = await aPerson(db)
    await write((within) => mergeAccounts(within, pairOf(person.id, intoId)))
  },
  leaving: ({ write, person }) => write((within) => leave(within, person.id)),
  passwordReset: ({ write, person }) =>
    write(async (within) => {
      const locked = (await lockPerson(within, person.id)) ?? assert.fail()
      await setPassword(within, locked, 'a hash', WHERE)
    }),
}

const pairOf = (fromId: number, intoId: number) => ({ fromId, intoId, actorId: null, formerName: 'Former' })

async function leave(write: Write, id: number): Promise<void> {
  const locked = (await lockPerson(write, id)) ?? assert.fail()
  await closeAccount(write, locked, { posts: 'keep', formerName: 'Former' }, WHERE)
}

/** Whose key it is. */
const roleFor = (name: keyof typeof KEYS): Role => (name === 'webhooks' ? 'instructor' : 'learner')

const WORKING: Readonly<Record<keyof typeof KEYS, unknown>> = {
  sessions: 200,
  'personal tokens': [200, 201, 200],
  'course tokens': [200],
  'apps of agents': ['writes', 'writes'],
  'invitation links': [303, 200],
  'pending roles': [2, 0, 0],
  'mailed links': [200, 200, 200],
  'waiting provider sign-ins': 1,
  'reply keys, push': ['posted', 1],
  webhooks: 'on',
}
const ALL_END = [401, 401, 401]
const DEAD = [410, 410, 410]
/** What is left of each key after each ending that has to do with it. */
const LEFT: Readonly<Record<Ending, Partial<Record<keyof typeof KEYS, unknown>>>> = {
  courseDeleted: {
    'personal tokens': [404, 404, 401],
    'course tokens': [401],
    'apps of agents': ['sees nothing', 'ended'],
    'invitation links': [410, 404],
    'pending roles': [0, 2, 0],
    'reply keys, push': ['refused', 0],
    webhooks: 'ended',
  },
  courseArchived: {
    'personal tokens': [200, 403, 200],
    'course tokens': [200],
    'apps of agents': ['reads', 'reads'],
    'invitation links': [303, 200],
    'pending roles': [2, 0, 0],
    'reply keys, push': ['refused', 1],
    webhooks: 'quiet',
  },
  roleLost: {
    'personal tokens': [404, 404, 404],
    'apps of agents': ['sees nothing', 'sees nothing'],
    'reply keys, push': ['refused', 0],
    webhooks: 'owner',
  },
  suspension: {
    sessions: 200,
    'personal tokens': [200, 403, 200],
    'apps of agents': ['reads', 'reads'],
    'mailed links': [200, 200, 200],
    'waiting provider sign-ins': 1,
    'reply keys, push': ['refused', 1],
    webhooks: 'owner',
  },
  merge: {
    sessions: 303,
    'personal tokens': ALL_END,
    'apps of agents': ['ended', 'ended'],
    'invitation links': [303, 200],
    'pending roles': [1, 0, 1],
    'mailed links': DEAD,
    'waiting provider sign-ins': 0,
    'reply keys, push': ['unknown', 0],
    webhooks: 'owner',
  },
  leaving: {
    sessions: 303,
    'personal tokens': ALL_END,
    'apps of agents': ['ended', 'ended'],
    'invitation links': [303, 200],
    'pending roles': [1, 0, 0],
    'mailed links': DEAD,
    'waiting provider sign-ins': 0,
    'reply keys, push': ['unknown', 0],
    webhooks: 'owner',
  },
  passwordReset: {
    sessions: 303,
    'personal tokens': ALL_END,
    'apps of agents': ['ended', 'ended'],
    'mailed links': [410, 410, 200],
    'waiting provider sign-ins': 0,
    'reply keys, push': ['posted', 0],
  },
}

suite('what should end goes on nowhere', () => {
  const forum = sharedForum()
  before(() => agentsOn(forum.db))
  const names = Object.keys(KEYS) as (keyof typeof KEYS)[]
  const rolesIn = (courseId: number) =>
    forum.db.selectFrom('course_members').select(['person_id', 'role']).where('course_id', '=', courseId)

  test('docs/security.md has the table that the code goes by', async () => {
    const text = await readFile(join(import.meta.dirname, '../../../docs/security.md'), 'utf8')
    assert.ok(text.includes(endingsTable()), `docs/security.md should have:\n${endingsTable()}`)
    assert.doesNotMatch(endingsTable().split('\n').slice(2).join('\n'), /\| +\|/, 'no cell is empty')
  })

  for (const name of names)
    test(`before anything ends: ${name} work`, async () => {
      assert.deepEqual(await STATES[name](await aScene(forum, roleFor(name))), WORKING[name])
    })

  for (const ending of ENDINGS) {
    const touched = names.filter((name) => fateOf(name, ending) !== UNTOUCHED)
    for (const name of touched)
      test(`${ending}: ${name}: ${fateOf(name, ending)}`, async () => {
        const scene = await aScene(forum, roleFor(name))
        await ACTS[ending](scene)
        assert.deepEqual(await STATES[name](scene), LEFT[ending][name])
      })
    test(`${ending}: every other key is as it was`, async () => {
      assert.deepEqual(Object.keys(LEFT[ending]), touched)
    })
  }

  test('a restored course has its roles again, also those of addresses confirmed meanwhile, and nothing that ended', async () => {
    const { app, db, write, course, person, waiting, invited, courseToken, tokens } = await aScene(forum)
    await write((within) => giveRole(within, course.id, 'nobody@x.example', 'learner'))
    await write((within) => hideCourse(within, course.id))
    const confirmed = { email_confirmed_at: new Date() }
    await db.updateTable('people').set(confirmed).where('id', '=', waiting.id).execute()
    await write((within) => restoreCourse(within, course.id))
    const roles = await rolesIn(course.id).orderBy('person_id').execute()
    for (const { id } of [person, waiting])
      assert.ok(roles.some((one) => one.person_id === id && one.role === 'assistant'))
    const pending = db.selectFrom('pending_roles').select('email').where('course_id', '=', course.id)
    assert.deepEqual(await pending.execute(), [{ email: 'nobody@x.example' }])
    assert.equal((await visitor(app).get(`/join/${invited}`)).statusCode, 410)
    const path = `/courses/${course.slug}/questions`
    const statuses = []
    for (const token of [courseToken, ...tokens])
      statuses.push((await aProgram(app, token).get(path)).statusCode)
    assert.deepEqual(statuses, [401, 200, 401])
  })

  test('nobody makes a key to a course that is deleted', async () => {
    const { app, db, write, course } = await aScene(forum)
    const admin = await signedIn(app, await aPerson(db, { isAdmin: true }), ['link'])
    await write((within) => hideCourse(within, course.id))
    const path = `/courses/${course.slug}`
    assert.equal((await admin.post(`${path}/settings/tokens`, { name: 'x' })).statusCode, 404)
    assert.equal((await admin.post(`${path}/invitations`, { role: 'learner' })).statusCode, 404)
    const program = aProgram(app, await aCourseToken({ db }, course))
    assert.equal((await program.get(`${path}/export`)).statusCode, 401)
  })

  for (const isFirst of [true, false])
    test(`a role given ${isFirst ? 'before' : 'after'} a stranger claimed the address ${isFirst ? 'waits for its owner' : 'goes with them'}`, async () => {
      const { db, write, course, person, waiting } = await aScene(forum)
      if (isFirst)
        await db
          .updateTable('pending_roles')
          .set({ given_at: new Date(0) })
          .where('email', '=', waiting.email)
          .execute()
      const pending = db
        .selectFrom('pending_roles')
        .select('role')
        .where('course_id', '=', course.id)
        .where('email', '=', waiting.email)
      const role = () => rolesIn(course.id).where('person_id', '=', person.id).executeTakeFirst()
      const mergeId = await write((within) => mergeAccounts(within, pairOf(waiting.id, person.id)))
      assert.equal((await role())?.role, isFirst ? 'learner' : 'assistant')
      assert.equal((await pending.execute()).length, isFirst ? 1 : 0)
      const pair = { fromId: waiting.id, intoId: person.id }
      await write((within) => undoMerge(within, mergeId, pair))
      assert.equal((await role())?.role, 'learner')
      assert.equal((await pending.execute()).length, 1)
      await write((within) => hideCourse(within, course.id))
      await write((within) => leave(within, waiting.id))
      await write((within) => restoreCourse(within, course.id))
      assert.equal((await pending.execute()).length, isFirst ? 1 : 0)
    })
})
