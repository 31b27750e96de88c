import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { signedIn, visitor } from '../../testing/browser.ts'
import { textOf } from '../../testing/page.ts'
import { aPerson } from '../../testing/people.ts'
import { GUESSES } from '../identity/guesses.ts'
import { makeSignInLink } from '../sign-in/links.ts'
import { aForum, lettersTo, linkTo, PASSWORD } from '../testing.ts'

const NEW_EMAIL = 'mina.new@example.org'
/** Confirms the new address elsewhere than where it was asked for. */
const elsewhereWith = (token: string) => ({ token, account_password: PASSWORD })
const CHANGE = { new_email: NEW_EMAIL, email_password: PASSWORD }

suite('changing the e-mail address', () => {
  test('needs the password, and happens when the new mailbox confirms it', async (t) => {
    const { app, db, person } = await aForum(t)
    const browser = await signedIn(app, person)
    const wrong = await browser.post('/settings/email', { ...CHANGE, email_password: 'not this' })
    assert.equal(wrong.statusCode, 422)
    assert.match(wrong.body, /href="#email_password"/)
    assert.match(wrong.body, new RegExp(`value="${NEW_EMAIL}"`))
    assert.doesNotMatch(wrong.body, /not this/)

    const asked = await browser.post('/settings/email', { ...CHANGE, new_email: ' Mina.New@Example.org' })
    assert.equal(asked.headers.location, '/settings#email')
    const { path, token } = await linkTo(db, NEW_EMAIL)
    const elsewhere = visitor(app)
    assert.equal((await elsewhere.get(path)).statusCode, 200)
    assert.equal(await emailOf(person.id), person.email, 'neither asking nor opening the link changes it')
    assert.equal((await elsewhere.post('/confirm-email', elsewhereWith(token))).statusCode, 303)
    assert.equal(await emailOf(person.id), NEW_EMAIL)
    assert.match(textOf((await browser.get('/settings')).body), /mina\.new@example\.org Confirmed/)
    assert.equal((await elsewhere.post('/confirm-email', { token })).statusCode, 410)
    const old = await visitor(app).post('/sign-in', { email: person.email, password: PASSWORD })
    assert.equal(old.statusCode, 422)

    async function emailOf(id: number) {
      return (await db.selectFrom('people').select('email').where('id', '=', id).executeTakeFirst())?.email
    }
  })

  test('ends what was sent to the old address, which is told', async (t) => {
    const { app, db, person } = await aForum(t)
    const signInLink = new URL(await makeSignInLink(db, person.id, 'http://localhost:3000'))
    await visitor(app).post('/forgotten-password', { email: person.email })
    const stale = (await linkTo(db, person.email)).token
    await changeTo(NEW_EMAIL)
    assert.equal((await visitor(app).get(`/new-password?token=${stale}`)).statusCode, 410)
    assert.equal((await visitor(app).get(`${signInLink.pathname}${signInLink.search}`)).statusCode, 410)
    const told = (await lettersTo(db, person.email)).at(-1)
    assert.equal(told?.kind, 'addressChanged')
    assert.match(told.text, /mina\.new@example\.org/)

    async function changeTo(email: string) {
      await (await signedIn(app, person)).post('/settings/email', { ...CHANGE, new_email: email })
      await visitor(app).post('/confirm-email', elsewhereWith((await linkTo(db, email)).token))
    }
  })

  test('is undone from the old mailbox: the password is void, everybody out, a new one set', async (t) => {
    const { app, db, person } = await aForum(t)
    const thief = await signedIn(app, person)
    await thief.post('/settings/email', CHANGE)
    await thief.post('/confirm-email', { token: (await linkTo(db, NEW_EMAIL)).token })
    const { path, token } = await linkTo(db, person.email)
    // Changing it once more makes no difference to the way back, but ends the thief's own.
    await thief.post('/settings/email', { ...CHANGE, new_email: 'thief@example.org' })
    await thief.post('/confirm-email', { token: (await linkTo(db, 'thief@example.org')).token })
    const thiefsUndo = (await linkTo(db, NEW_EMAIL)).token

    const owner = visitor(app)
    assert.match((await owner.get(path)).body, new RegExp(person.email))
    assert.equal((await thief.get('/settings')).statusCode, 200, 'opening the link changes nothing')
    const undone = await owner.post('/undo-email-change', { token }, { page: path })
    assert.match(String(undone.headers.location), /^\/new-password\?token=/)
    assert.equal((await thief.get('/settings')).statusCode, 303)
    for (const email of [person.email, NEW_EMAIL, 'thief@example.org'])
      assert.equal((await visitor(app).post('/sign-in', { email, password: PASSWORD })).statusCode, 422)
    for (const dead of [token, thiefsUndo])
      assert.equal((await visitor(app).post('/undo-email-change', { token: dead })).statusCode, 410)

    const set = new URL(String(undone.headers.location), 'http://localhost:3000')
    const password = 'a row of seven green bottles'
    await owner.post('/new-password', { token: set.searchParams.get('token') ?? '', password })
    assert.equal((await owner.post('/sign-in', { email: person.email, password })).statusCode, 303)
  })

  test('can be undone for seven days', async (t) => {
    const { app, db, person } = await aForum(t)
    await (await signedIn(app, person)).post('/settings/email', CHANGE)
    await visitor(app).post('/confirm-email', elsewhereWith((await linkTo(db, NEW_EMAIL)).token))
    const { token } = await linkTo(db, person.email)
    const later = (days: number) => sql<Date>`expires_at - make_interval(days => ${days})`
    await db
      .updateTable('mail_links')
      .set({ expires_at: later(6) })
      .execute()
    assert.equal((await visitor(app).get(`/undo-email-change?token=${token}`)).statusCode, 200)
    await db
      .updateTable('mail_links')
      .set({ expires_at: later(1) })
      .execute()
    assert.equal((await visitor(app).get(`/undo-email-change?token=${token}`)).statusCode, 410)
  })

  test('says nothing of whose an address is, and tells its owner', async (t) => {
    const { app, db, person } = await aForum(t)
    const other = await aPerson(db)
    const browser = await signedIn(app, person)
    const free = await browser.post('/settings/email', CHANGE)
    const taken = await browser.post('/settings/email', { ...CHANGE, new_email: other.email })
    assert.equal(taken.statusCode, free.statusCode)
    assert.equal(taken.headers.location, free.headers.location)
    assert.equal((await lettersTo(db, other.email))[0]?.kind, 'addressTaken')
    await browser.post('/settings/email', { ...CHANGE, new_email: other.email })
    assert.equal((await lettersTo(db, other.email)).length, 1, 'once a day')
    const same = await browser.post('/settings/email', { ...CHANGE, new_email: person.email })
    assert.equal(same.statusCode, 422)
    for (let asked = 3; asked < 5; asked += 1) await browser.post('/settings/email', CHANGE)
    assert.equal((await browser.post('/settings/email', CHANGE)).statusCode, 429)
    const { token } = await linkTo(db, NEW_EMAIL)
    const confirmed = await visitor(app).post('/confirm-email', elsewhereWith(token))
    assert.equal(confirmed.statusCode, 303, 'the link of the fifth still works')
  })

  test('fails when the address was taken meanwhile', async (t) => {
    const { app, db, person } = await aForum(t)
    await (await signedIn(app, person)).post('/settings/email', CHANGE)
    const { token } = await linkTo(db, NEW_EMAIL)
    await aPerson(db, { email: NEW_EMAIL })
    assert.equal((await visitor(app).post('/confirm-email', elsewhereWith(token))).statusCode, 410)
    await db.deleteFrom('people').where('email', '=', NEW_EMAIL).execute()
    assert.equal(
      (await visitor(app).post('/confirm-email', elsewhereWith(token))).statusCode,
      303,
      'it is free again',
    )
  })

  test('takes an address that was only claimed from the account that claimed it', async (t) => {
    const { app, db, person } = await aForum(t)
    const squatter = await aPerson(db, { email: NEW_EMAIL, isConfirmed: false })
    await (await signedIn(app, person)).post('/settings/email', CHANGE)
    const { token } = await linkTo(db, NEW_EMAIL)
    assert.equal((await visitor(app).post('/confirm-email', elsewhereWith(token))).statusCode, 303)
    const rows = await db.selectFrom('people').select(['id', 'email']).orderBy('id').execute()
    assert.deepEqual(rows, [
      { id: person.id, email: NEW_EMAIL },
      { id: squatter.id, email: null },
    ])
  })

  test('is no way to guess the password', async (t) => {
    const { app, person } = await aForum(t)
    const browser = await signedIn(app, person)
    const token = await browser.token('/settings')
    const wrong = { ...CHANGE, email_password: 'wrong' }
    for (let tries = 0; tries < GUESSES.max; tries += 1)
      assert.equal((await browser.post('/settings/email', wrong, { token })).statusCode, 422)
    const limited = await browser.post('/settings/email', CHANGE, { token })
    assert.equal(limited.statusCode, 429)
    assert.ok(Number(limited.headers['retry-after']) > 0)
  })
})
