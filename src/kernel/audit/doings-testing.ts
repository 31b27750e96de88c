import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect as connectSocket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { FastifyInstance } from 'fastify'
import { createTransport } from 'nodemailer'
import { Authenticator } from '../../accounts/passkeys/authenticator-testing.ts'
import { addPasskeyRow } from '../../accounts/passkeys/row-testing.ts'
import { addPasskey } from '../../accounts/passkeys/testing.ts'
import type { CraftedProvider } from '../../accounts/providers/crafted-provider-testing.ts'
import { addLinkRow, addProviderRow, addUnlinkedRow } from '../../accounts/providers/row-testing.ts'
import { comeBy, logoutToken, sendLogout } from '../../accounts/providers/testing.ts'
import { anApp } from '../../accounts/second-factor/testing.ts'
import { makeSignInLink } from '../../accounts/sign-in/links.ts'
import { linkTo, PASSWORD } from '../../accounts/testing.ts'
import { aCourseToken, aToken } from '../../accounts/tokens/testing.ts'
import { listTokens } from '../../accounts/tokens/token.ts'
import type { Database } from '../../database/schema.ts'
import { makeReplyAddress } from '../../forum/answering-by-mail/keys.ts'
import { listenForMail } from '../../forum/answering-by-mail/listen.ts'
import { uploaded } from '../../forum/pictures/pictures-testing.ts'
import { enqueue } from '../../jobs/table.ts'
import { mailServer } from '../../mail/mail-server.ts'
import type { Renewals } from '../../mail/renewal.ts'
import { sendingTo } from '../../mail/send-mail.ts'
import { someMail } from '../../mail/testing.ts'
import { ensureSetUpLink } from '../../operating/set-up/set-up.ts'
import { backUp } from '../../operating/start/backups.ts'
import { type Browser, type Fields, signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion } from '../../testing/builders.ts'
import { addressOf } from '../../testing/database.ts'
import type { MadePerson } from '../../testing/people.ts'
import { deleteAnswer } from '../../testing/posts.ts'
import { within } from '../../testing/within.ts'
import { GUESSES, LIMITS } from '../limits.ts'
import type { EventName } from './kinds.ts'

/** A forum whose log is read, a person who signs in with PASSWORD, and an admin, each with a browser. */
export interface World {
  readonly app: FastifyInstance
  readonly db: Database
  readonly person: MadePerson
  readonly browser: Browser
  readonly admin: MadePerson
  readonly adminBrowser: Browser
  /** An SMTP server that accepts mail. */
  readonly smtpUrl: string
  /** The provider that people sign in with. */
  readonly provider: CraftedProvider
  /** Cuts the connection to the database. */
  cut(): Promise<void>
  mend(): Promise<void>
  /** Resolves when this event is in the log. */
  noted(name: EventName): Promise<void>
}

/** The account that a line must name; 'nobody': null; 'unasked': there is no request, and no account. */
export type Whose = 'person' | 'admin' | 'nobody' | 'unasked'
export type Doing = readonly [whose: Whose, act: (world: World) => Promise<unknown>]

export const WRONG = 'not this one at all'
const NEW_EMAIL = 'mina.new@example.org'
const TEXT = 'nobody reads this in a log'

/** How to cause each event, through pages where possible. */
export const DOINGS: { readonly [Name in EventName]: Doing } = {
  'sign-in': ['person', ({ app, person }) => signIn(app, person)],
  'sign-in-refused': ['nobody', ({ app, person }) => signIn(app, person, WRONG)],
  'sign-in-limited': [
    'nobody',
    ({ app, person }) => repeat(GUESSES.max + 1, () => signIn(app, person, WRONG)),
  ],
  'sign-out': ['person', ({ browser }) => browser.post('/sign-out')],
  'sign-up-refused': [
    'nobody',
    ({ app, person: { email } }) =>
      visitor(app).post('/sign-up', { display_name: 'Eve', email, password: 'six blue doors in a row' }),
  ],
  'session-ended': [
    'person',
    async ({ app, person, browser }) => {
      await signedIn(app, person)
      const page = await browser.get('/settings/security')
      const path = /action="(\/settings\/sessions\/[^"]+\/delete)"/.exec(page.body)?.[1] ?? page.body
      await browser.post(path)
    },
  ],
  'other-sessions-ended': ['person', ({ browser }) => browser.post('/settings/sessions/delete-others')],
  'new-password-asked': [
    'nobody',
    ({ app, person: { email } }) => visitor(app).post('/forgotten-password', { email }),
  ],
  'password-changed': [
    'person',
    ({ browser }) =>
      browser.post('/settings/password', {
        current_password: PASSWORD,
        password: 'six blue doors in a row',
      }),
  ],
  'reauthentication-refused': ['person', ({ browser }) => changeEmail(browser, WRONG)],
  'reauthentication-limited': [
    'person',
    ({ browser }) => repeat(GUESSES.max + 1, () => changeEmail(browser, WRONG)),
  ],
  'email-confirmed': ['person', takeNewAddress],
  'account-claimed': [
    'person',
    async ({ app, db, person }) => {
      await db.updateTable('people').set({ email_confirmed_at: null }).where('id', '=', person.id).execute()
      const link = new URL(await makeSignInLink(db, person.id, app.config.baseUrl))
      await visitor(app).post('/sign-in/link', { token: link.searchParams.get('token') ?? '' })
    },
  ],
  'email-change-asked': ['person', ({ browser }) => changeEmail(browser, PASSWORD)],
  'email-change-undone': [
    'nobody',
    async (world) => {
      await takeNewAddress(world)
      const { token } = await linkTo(world.db, world.person.email)
      await visitor(world.app).post('/undo-email-change', { token })
    },
  ],
  'second-factor-on': ['person', ({ app, person }) => anApp(app, person)],
  'second-factor-off': ['person', (world) => withFactor(world, 'delete')],
  'recovery-codes-made': ['person', (world) => withFactor(world, 'recovery-codes')],
  'passkey-added': ['person', ({ browser }) => addPasskey(browser, new Authenticator())],
  'passkey-refused': [
    'person',
    ({ browser }) => addPasskey(browser, new Authenticator(), { rpId: 'example.org' }),
  ],
  'passkey-renamed': [
    'person',
    (world) => withPasskey(world, '', { name: TEXT, current_password: PASSWORD }),
  ],
  'passkey-removed': ['person', (world) => withPasskey(world, '/delete', { current_password: PASSWORD })],
  'password-removed': [
    'person',
    async ({ db, person, browser }) => {
      await addPasskeyRow(db, person.id)
      await browser.post('/settings/sign-in/password/delete', { current_password: PASSWORD })
    },
  ],
  'account-linked': [
    'person',
    async ({ db, browser }) => {
      const { cookie, state } = await addUnlinkedRow(db, await addProviderRow(db))
      browser.cookies.set(...cookie)
      await browser.post('/sign-in/with/github/link', { current_password: PASSWORD, state })
    },
  ],
  'account-unlinked': [
    'person',
    async ({ db, person, browser }) => {
      const id = await addLinkRow(db, person.id, await addProviderRow(db))
      await browser.post(`/settings/sign-in/links/${id}/delete`, { current_password: PASSWORD })
    },
  ],
  'provider-ended-sessions': [
    'person',
    async ({ app, db, person, provider }) => {
      const { id } = await db.selectFrom('identity_providers').select('id').executeTakeFirstOrThrow()
      await addLinkRow(db, person.id, id, provider.issuer, 'mina')
      await comeBy(app, provider)
      await sendLogout(app, await logoutToken(provider))
    },
  ],
  'course-token-made': [
    'admin',
    (world) => onCourse(world, 'settings/tokens', { name: 'Notebook', ends: '', current_password: PASSWORD }),
  ],
  'course-token-revoked': [
    'admin',
    async ({ db, adminBrowser }) => {
      const course = await aCourse(db)
      await aCourseToken({ db }, course)
      const [token] = await listTokens(db, { personId: null, courseId: course.id })
      await adminBrowser.post(`/courses/${course.slug}/settings/tokens/${token?.id}/end`)
    },
  ],
  'token-made': [
    'person',
    ({ browser }) =>
      browser.post('/settings/tokens', {
        name: 'Bot',
        scopes: ['read', 'write'],
        current_password: PASSWORD,
      }),
  ],
  'token-revoked': [
    'person',
    async ({ db, person, browser }) => {
      await aToken({ db }, person)
      const [token] = await listTokens(db, { personId: person.id, courseId: null })
      await browser.post(`/settings/tokens/${token?.id}/end`)
    },
  ],
  'provider-changed': [
    'admin',
    ({ adminBrowser }) =>
      adminBrowser.post('/admin/sign-in', {
        preset: 'github',
        label: TEXT,
        client_id: 'forum',
        client_secret: TEXT,
        current_password: PASSWORD,
      }),
  ],
  'own-data-taken': ['person', ({ browser }) => browser.get('/settings/account/data')],
  'account-deleted': [
    'person',
    ({ browser }) => browser.post('/settings/account/delete', { posts: 'keep', current_password: PASSWORD }),
  ],
  'course-left': [
    'person',
    async ({ db, person, browser }) => {
      const course = await aCourse(db)
      await aMember(db, course, 'learner', person)
      await browser.post(`/courses/${course.slug}/leaving`)
    },
  ],
  'policy-changed': ['admin', ({ adminBrowser }) => adminBrowser.post('/admin/pages/rules', { body: TEXT })],
  'course-made': ['admin', ({ adminBrowser }) => adminBrowser.post('/courses/new', COURSE)],
  'course-settings-changed': ['admin', (world) => onCourse(world, 'settings', { ...COURSE, version: 1 })],
  'course-archived': ['admin', (world) => onCourse(world, 'archive', { value: '1' })],
  'course-lectures-changed': ['admin', (world) => onCourse(world, 'lectures', { lectures: TEXT })],
  'course-categories-changed': ['admin', (world) => onCourse(world, 'categories', { name: 'Projects' })],
  'sign-in-link-made': [
    'admin',
    ({ adminBrowser, person }) => adminBrowser.post(`/admin/people/${person.id}/link`),
  ],
  announced: ['admin', (world) => onCourse(world, 'announcements/new', { title: 'Room', body: TEXT })],
  'announcement-edited': [
    'admin',
    async (world) => {
      await onCourse(world, 'announcements/new', { title: 'Room', body: TEXT })
      const { id } = await world.db.selectFrom('announcements').select('id').executeTakeFirstOrThrow()
      const body = `${TEXT} Again.`
      await world.adminBrowser.post(`/announcements/${id}/edit`, { title: 'Room', body, version: 1 })
    },
  ],
  'faq-changed': ['admin', (world) => onCourse(world, 'faq', { title: 'Why?', body: TEXT })],
  'members-added': [
    'admin',
    (world) => onCourse(world, 'members', { email: world.person.email, role: 'learner' }),
  ],
  'member-role-changed': ['admin', (world) => onMember(world, 'role', { role: 'assistant' })],
  'member-removed': ['admin', (world) => onMember(world, 'removal', {})],
  'waiting-role-removed': ['admin', (world) => onWaiting(world, { act: 'removal', sure: '1' })],
  'waiting-role-changed': ['admin', (world) => onWaiting(world, { act: 'role', role: 'assistant' })],
  'invitations-mailed': ['admin', (world) => onWaiting(world, { act: 'invitation' })],
  'invitation-made': ['admin', (world) => onCourse(world, 'invitations', { role: 'learner' })],
  'invitation-ended': [
    'admin',
    async (world) => {
      const { path } = await invite(world)
      await world.adminBrowser.post(path)
    },
  ],
  'course-joined': [
    'person',
    async (world) => {
      const { link } = await invite(world)
      await world.browser.post(link)
    },
  ],
  'set-up': ['admin', setUp],
  'site-settings-changed': [
    'admin',
    ({ adminBrowser }) =>
      adminBrowser.post('/settings/site', {
        staff_second_factor: 'optional',
        audit_months: '24',
        case_months: '12',
        current_password: PASSWORD,
      }),
  ],
  'post-edited': ['admin', (world) => onAnswer(world, 'edit')],
  'post-deleted': ['admin', (world) => onAnswer(world, 'delete')],
  'version-redacted': ['admin', redactVersion],
  'post-restored': ['admin', restoreAnswer],
  'staff-decided': [
    'admin',
    async ({ db, adminBrowser }) => {
      const { id } = await anAnswer(db)
      await adminBrowser.post(`/answers/${id}/endorsement`, { value: 1 })
    },
  ],
  moderated: [
    'admin',
    async ({ db, adminBrowser }) => {
      const { id } = await aPerson(db)
      await adminBrowser.post(`/people/${id}/suspension`, { course: '', until: '', reason: 'Spam' })
    },
  ],
  'question-withdrawn': [
    'admin',
    async ({ db, adminBrowser }) => {
      const { id } = await aQuestion(db)
      await adminBrowser.post(`/questions/${id}/audience`, { audience: 'staff' })
    },
  ],
  'admin-changed': [
    'admin',
    ({ adminBrowser, person }) => adminBrowser.post(`/admin/people/${person.id}/admin`, { value: 1 }),
  ],
  'account-removed': [
    'admin',
    ({ adminBrowser, person: { id, email } }) =>
      adminBrowser.post(`/admin/people/${id}/delete`, { confirm: email, posts: 'keep' }),
  ],
  'accounts-merged': ['admin', mergeAnother],
  'account-merge-undone': [
    'admin',
    async (world) => {
      const from = await mergeAnother(world)
      await world.adminBrowser.post(`/admin/people/${world.person.id}/merge/undo`, { from })
    },
  ],
  'course-deleted': ['admin', deleteCourse],
  'course-restored': [
    'admin',
    async (world) => {
      const { slug } = await deleteCourse(world)
      await world.adminBrowser.post(`/courses/${slug}/restoration`)
    },
  ],
  'audit-redacted': [
    'admin',
    async ({ db, adminBrowser, person }) => {
      await adminBrowser.post(`/admin/people/${person.id}/link`)
      const { id } = await db
        .selectFrom('audit')
        .select('id')
        .orderBy('id', 'desc')
        .limit(1)
        .executeTakeFirstOrThrow()
      await adminBrowser.post(`/audit/${id}/redaction`)
    },
  ],
  'mail-read': ['admin', ({ adminBrowser }) => adminBrowser.get('/mail')],
  'test-mail-sent': [
    'admin',
    async ({ app, adminBrowser, person, smtpUrl }) => {
      const { smtpUrl: before } = app.config
      Object.assign(app.config, { smtpUrl })
      await adminBrowser.post('/admin/test-mail', { email: person.email })
      Object.assign(app.config, { smtpUrl: before })
    },
  ],
  'mail-sent-again': [
    'admin',
    async ({ db, adminBrowser }) => {
      await someMail(db, {})
      const { id } = await db.selectFrom('mails').select('id').executeTakeFirstOrThrow()
      await adminBrowser.post(`/mail/${id}/sending`)
    },
  ],
  'mail-sent': ['unasked', (world) => sendMail(world, world.smtpUrl, 'mail-sent')],
  'mail-dropped': [
    'unasked',
    (world) => sendMail(world, world.smtpUrl, 'mail-dropped', { test: async () => new Map() }),
  ],
  'mail-received': ['unasked', (world) => answerByMail(world, true)],
  'mail-not-taken': ['unasked', (world) => answerByMail(world, false)],
  'job-failed': ['unasked', (world) => sendMail(world, 'smtp://127.0.0.1:1', 'job-failed')],
  'job-retried': [
    'admin',
    async ({ db, adminBrowser }) => {
      await enqueue(db, 'search', 1)
      const { id } = await db.selectFrom('jobs').select('id').executeTakeFirstOrThrow()
      await adminBrowser.post(`/admin/jobs/${id}/retry`)
    },
  ],
  'backup-made': ['unasked', (world) => backUpInto(world)],
  'backup-incomplete': [
    'unasked',
    async (world) => {
      // The picture is in the app's folder, not in the one that is backed up.
      await anAnswer(world.db, {
        author: world.person,
        body: (await uploaded(world.browser)).markdown,
      })
      await backUpInto(world)
    },
  ],
  'backup-failed': ['unasked', (world) => backUpInto(world, 'not/there')],
  'database-away': ['unasked', ({ app, cut }) => cut().then(() => visitor(app).get('/readyz'))],
  'database-back': [
    'unasked',
    async ({ app, cut, mend, noted }) => {
      await cut()
      await visitor(app).get('/readyz')
      await noted('database-away')
      await mend()
    },
  ],
  denied: ['person', ({ browser }) => browser.get('/mail')],
  limited: [
    'person',
    ({ browser }) =>
      repeat(LIMITS.preview.account.max + 1, async () =>
        browser.post('/questions/preview', { title: TEXT, body: TEXT }, { token: 'none' }),
      ),
  ],
  'error-page': ['nobody', ({ app }) => visitor(app).get(`/nowhere?secret=${WRONG}`)],
  failed: [
    'nobody',
    async ({ app, cut }) => {
      await cut()
      await visitor(app).get('/questions')
    },
  ],
  'form-broken-off': ['nobody', breakOffForm],
  'broken-request': ['unasked', sendGarbage],
}

async function backUpInto({ app, db }: World, subfolder = 'backups'): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'handup-events-'))
  const backups = { folder: join(dataDir, subfolder), everyMs: 3_600_000, keep: 2 }
  const forum = { db, url: addressOf(db), log: app.log, signal: new AbortController().signal }
  await backUp({ backups, dataDir, s3Url: null }, forum)
  await rm(dataDir, { recursive: true })
}

const COURSE = {
  title: 'A course',
  field: '',
  description: TEXT,
  language: 'en',
  time_zone: 'UTC',
  visibility: 'public',
  asking: 'everybody',
  accent: 'green',
} as const

async function onCourse({ db, adminBrowser }: World, act: string, fields: Fields): Promise<void> {
  const course = await aCourse(db)
  await adminBrowser.post(`/courses/${course.slug}/${act}`, fields)
}

async function onMember({ db, person, adminBrowser }: World, act: string, fields: Fields): Promise<void> {
  const course = await aCourse(db)
  await aMember(db, course, 'learner', person)
  await adminBrowser.post(`/courses/${course.slug}/members/${person.id}/${act}`, fields)
}

/** Does something with the address for which a role waits. */
async function onWaiting({ db, adminBrowser }: World, fields: Fields): Promise<void> {
  const { slug } = await aCourse(db)
  const email = 'nobody@example.org'
  await adminBrowser.post(`/courses/${slug}/members`, { email, role: 'learner' })
  await adminBrowser.post(`/courses/${slug}/waiting/selection`, { email, ...fields })
}

/** The paths of a link to join, and of the form that ends it. */
async function invite({ db, adminBrowser }: World): Promise<{ link: string; path: string }> {
  const { slug } = await aCourse(db)
  await adminBrowser.post(`/courses/${slug}/invitations`, { role: 'learner' })
  const { body } = await adminBrowser.get(`/courses/${slug}/members`)
  const link = /\/join\/[\w-]+/.exec(body)?.[0] ?? ''
  return { link, path: /\/courses\/[\w-]+\/invitations\/\d+\/end/.exec(body)?.[0] ?? '' }
}

async function breakOffForm({ app }: World): Promise<void> {
  const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  const reached = once(app.server, 'request')
  const head = 'POST /sign-in HTTP/1.1\r\nHost: forum\r\nContent-Type: application/x-www-form-urlencoded'
  const socket = connectSocket(Number(port), '127.0.0.1', () =>
    socket.write(`${head}\r\nContent-Length: 100\r\n\r\nemail=a`),
  )
  await reached
  socket.destroy()
}

async function repeat(times: number, act: () => Promise<unknown>): Promise<void> {
  for (let time = 0; time < times; time += 1) await act()
}

function signIn(app: FastifyInstance, { email }: MadePerson, password = PASSWORD) {
  return visitor(app).post('/sign-in', { email, password })
}

function changeEmail(browser: Browser, password: string) {
  return browser.post('/settings/email', { new_email: NEW_EMAIL, email_password: password })
}

async function takeNewAddress({ app, db, browser }: World): Promise<void> {
  await changeEmail(browser, PASSWORD)
  // As the link's page does, signed out.
  const { token } = await linkTo(db, NEW_EMAIL)
  await visitor(app).post('/confirm-email', { token, account_password: PASSWORD })
}

async function withFactor({ app, person }: World, act: string): Promise<void> {
  const { browser } = await anApp(app, person)
  await browser.post(`/settings/second-factor/${act}`, { current_password: PASSWORD })
}

async function withPasskey({ db, person, browser }: World, act: string, fields: Record<string, string>) {
  const id = await addPasskeyRow(db, person.id)
  await browser.post(`/settings/passkeys/${id}${act}`, fields)
}

async function onAnswer({ db, person, adminBrowser }: World, act: 'edit' | 'delete'): Promise<void> {
  const answer = await anAnswer(db, { author: person })
  await adminBrowser.post(`/answers/${answer.id}/${act}`, { body: TEXT, version: 1 })
}

async function redactVersion({ db, person, adminBrowser }: World): Promise<void> {
  const answer = await anAnswer(db, { author: person })
  await adminBrowser.post(`/answers/${answer.id}/edit`, { body: TEXT, version: 1 })
  await adminBrowser.post(`/answers/${answer.id}/history/1/redaction`)
}

async function restoreAnswer({ db, person, adminBrowser }: World): Promise<void> {
  const answer = await anAnswer(db, { author: person })
  await within(db, deleteAnswer, answer.question.id, answer.id)
  await adminBrowser.post(`/answers/${answer.id}/restoration`)
}

/** On a forum without accounts, where the person who sets it up becomes the admin. */
async function setUp({ app, db, admin }: World): Promise<void> {
  await db.deleteFrom('people').execute()
  const link = new URL((await ensureSetUpLink(db, app.config.baseUrl, TEXT))?.url ?? '')
  const course = { title: 'A course', field: 'Backend', language: 'en', time_zone: 'UTC', lectures: '' }
  const account = { display_name: TEXT, email: admin.email, password: 'six blue doors in a row' }
  await visitor(app).post('/set-up', { token: link.searchParams.get('token') ?? '', ...account, ...course })
}

async function sendMail(
  { app, db, noted }: World,
  url: string,
  name: EventName,
  renewals: Renewals = {},
): Promise<void> {
  await someMail(db, {})
  const server = mailServer({ url, from: 'forum@example.org', host: 'forum.example' })
  app.jobs.start(sendingTo(db, server, app.log, { renewals }))
  await noted(name)
}

/** To an address that we made, or to one that nobody has. */
async function answerByMail({ app, db, person }: World, isKnown: boolean): Promise<void> {
  const forum = { replyAddress: 'reply@forum.example', baseUrl: app.config.baseUrl, keys: app.secretKeys }
  const resolver = () => Promise.reject(Object.assign(new Error('none'), { code: 'ENOTFOUND' }))
  const { id } = await aQuestion(db)
  const to = await db
    .transaction()
    .execute((write) => makeReplyAddress(write, forum.replyAddress, person.id, id, null))
  const listener = await listenForMail({ ...forum, db, log: app.log, host: '127.0.0.1', port: 0, resolver })
  await createTransport({ host: '127.0.0.1', port: listener.port })
    .sendMail({ from: person.email, to: isKnown ? to : 'nobody@forum.example', subject: TEXT, text: TEXT })
    .catch(() => undefined)
  await listener.stop()
}

async function sendGarbage({ app }: World): Promise<void> {
  const url = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  const socket = connectSocket(Number(url.port), url.hostname)
  socket.end('NONSENSE\r\n\r\n')
  await text(socket)
}

async function mergeAnother({ db, adminBrowser, person }: World) {
  const { id: from } = await aPerson(db)
  await adminBrowser.post(`/admin/people/${person.id}/merge`, { from, sure: 1 })
  return from
}

async function deleteCourse({ db, adminBrowser }: World) {
  const course = await aCourse(db)
  const { title } = await db
    .selectFrom('courses')
    .select('title')
    .where('id', '=', course.id)
    .executeTakeFirstOrThrow()
  await adminBrowser.post(`/courses/${course.slug}/deletion`, { title })
  return course
}
