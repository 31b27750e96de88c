import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect as connectSocket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { FastifyInstance } from 'fastify'
import { createTransport } from 'nodemailer'
import { agentsOn, replay } from '../../accounts/apps/testing.ts'
import { Authenticator } from '../../accounts/passkeys/authenticator-testing.ts'
import { addPasskey } from '../../accounts/passkeys/testing.ts'
import type { CraftedProvider } from '../../accounts/providers/crafted-provider-testing.ts'
import { addLinkRow } from '../../accounts/providers/row-testing.ts'
import { comeBy, logoutToken, sendLogout } from '../../accounts/providers/testing.ts'
import { makeSignInLink } from '../../accounts/sign-in/links.ts'
import { linkTo, PASSWORD } from '../../accounts/testing.ts'
import { aToken } from '../../accounts/tokens/testing.ts'
import type { Database } from '../../database/schema.ts'
import { anAgent } from '../../doors/agents/testing.ts'
import { makeReplyAddress } from '../../forum/answering-by-mail/keys.ts'
import { listenForMail } from '../../forum/answering-by-mail/listen.ts'
import { uploaded } from '../../forum/pictures/pictures-testing.ts'
import { mailServer } from '../../mail/mail-server.ts'
import type { Renewals } from '../../mail/renewal.ts'
import { sendingTo } from '../../mail/send-mail.ts'
import { someMail } from '../../mail/testing.ts'
import { ensureSetUpLink } from '../../operating/set-up/set-up.ts'
import { backUp } from '../../operating/start/backups.ts'
import { type Browser, visitor } from '../../testing/browser.ts'
import { anAnswer, aQuestion } from '../../testing/builders.ts'
import { addressOf } from '../../testing/database.ts'
import type { MadePerson } from '../../testing/people.ts'
import { setRows } from '../../testing/rows.ts'
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

/** How to cause each event that no example of an operation notes for who is signed in, through pages where possible. */
export const DOINGS: { readonly [Name in EventName]?: Doing } = {
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
  'new-password-asked': [
    'nobody',
    ({ app, person: { email } }) => visitor(app).post('/forgotten-password', { email }),
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
  'email-change-undone': [
    'nobody',
    async (world) => {
      await takeNewAddress(world)
      const { token } = await linkTo(world.db, world.person.email)
      await visitor(world.app).post('/undo-email-change', { token })
    },
  ],
  'passkey-refused': [
    'person',
    ({ browser }) => addPasskey(browser, new Authenticator(), { rpId: 'example.org' }),
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
  'agent-called': [
    'person',
    async ({ app, db, person }) => {
      await agentsOn(db)
      const agent = anAgent(app, { token: await aToken({ db }, person) })
      await agent.call('search_questions', { query: TEXT })
    },
  ],
  'app-replayed': ['person', replay],
  'own-data-taken': ['person', ({ browser }) => browser.get('/settings/account/data')],
  'set-up': ['admin', setUp],
  'post-held': [
    'nobody',
    async ({ db, browser }) => {
      const { id, courseId } = await aQuestion(db)
      await setRows(db, 'courses', courseId, { hold: 'all' })
      await browser.post(`/questions/${id}/answers`, { body: TEXT })
    },
  ],
  'question-withdrawn': [
    'admin',
    async ({ db, adminBrowser }) => {
      const { id } = await aQuestion(db)
      await adminBrowser.post(`/questions/${id}/audience`, { audience: 'staff' })
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
  'mail-sent': ['unasked', (world) => sendMail(world, world.smtpUrl, 'mail-sent')],
  'mail-dropped': [
    'unasked',
    (world) => sendMail(world, world.smtpUrl, 'mail-dropped', { test: async () => new Map() }),
  ],
  'mail-received': ['unasked', (world) => answerByMail(world, true)],
  'mail-not-taken': ['unasked', (world) => answerByMail(world, false)],
  'job-failed': ['unasked', (world) => sendMail(world, 'smtp://127.0.0.1:1', 'job-failed')],
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
