import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Browser, signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, aQuestion } from '../../testing/builders.ts'
import { Authenticator } from '../passkeys/authenticator-testing.ts'
import { addPasskey } from '../passkeys/testing.ts'
import { anApp } from '../second-factor/testing.ts'
import { aForum, lettersTo, linkTo, PASSWORD } from '../testing.ts'

const OTHER = 'a row of seven green bottles'

type Forum = Awaited<ReturnType<typeof aForum>>

/** Somebody who knows the password gives the account another address, and opens its mailbox. */
async function moveTo({ db }: Forum, thief: Browser, email: string): Promise<void> {
  await thief.post('/settings/email', { new_email: email, email_password: PASSWORD })
  const moved = await thief.post('/confirm-email', { token: (await linkTo(db, email)).token })
  assert.equal(moved.statusCode, 303)
}

async function signUp({ app }: Forum, email: string): Promise<Browser> {
  const browser = visitor(app)
  await browser.post('/sign-up', { display_name: 'Squatter', email, password: OTHER })
  assert.ok(await isSignedIn(browser))
  return browser
}

async function isSignedIn(browser: Browser): Promise<boolean> {
  return (await browser.get('/settings')).statusCode === 200
}

/** Takes the account back with the newest link of an address, and sets a new password. */
async function takeBack({ app, db, person }: Forum, owner = visitor(app)): Promise<void> {
  const { path, token } = await linkTo(db, person.email)
  const undone = await owner.post(path.split('?')[0] ?? '', { token }, { page: path })
  assert.match(String(undone.headers.location), /^\/new-password\?token=/)
  const next = new URL(String(undone.headers.location), 'http://localhost:3000')
  const set = await owner.post('/new-password', {
    token: next.searchParams.get('token') ?? '',
    password: OTHER,
  })
  assert.equal(set.statusCode, 303)
  const signedIn = await owner.post('/sign-in', { email: person.email, password: OTHER })
  assert.equal(signedIn.headers.location, '/', 'no code is asked for')
  assert.ok(await isSignedIn(owner))
}

suite('taking back an account whose address was changed', () => {
  test('works after a thief has changed it twice and gone one step back', async (t) => {
    const forum = await aForum(t)
    const { app, db, person } = forum
    const thief = await signedIn(app, person)
    await moveTo(forum, thief, 'one@example.org')
    await moveTo(forum, thief, 'two@example.org')
    const own = (await linkTo(db, 'one@example.org')).token
    assert.equal((await visitor(app).post('/undo-email-change', { token: own })).statusCode, 303)
    await takeBack(forum)
    for (const email of ['one@example.org', 'two@example.org'])
      assert.equal((await visitor(app).post('/sign-in', { email, password: OTHER })).statusCode, 422)
  })

  test('takes the address away from an account that only claimed it, whose posts stay', async (t) => {
    const forum = await aForum(t)
    const { app, db, person } = forum
    await moveTo(forum, await signedIn(app, person), 'one@example.org')
    const undo = await linkTo(db, person.email)
    const squatter = await signUp(forum, person.email)
    const { id } = await db
      .selectFrom('people')
      .select('id')
      .where('email', '=', person.email)
      .executeTakeFirstOrThrow()
    const author = { id, displayName: 'Squatter', email: person.email }
    const question = await aQuestion(db, { author })
    const owner = visitor(app)
    const taken = await owner.post('/undo-email-change', { token: undo.token }, { page: undo.path })
    assert.match(String(taken.headers.location), /^\/new-password/)
    assert.ok(!(await isSignedIn(squatter)))
    const tried = await visitor(app).post('/sign-in', { email: person.email, password: OTHER })
    assert.equal(tried.statusCode, 422)
    const page = await visitor(app).get(`/questions/${question.id}`)
    assert.match((await visitor(app).follow(page)).body, /Squatter/)
  })

  test('waits for a person who proved that the address is theirs, or was given a role', async (t) => {
    for (const claim of ['confirmed', 'staff', 'admin'] as const) {
      const forum = await aForum(t)
      const { app, db, person } = forum
      await moveTo(forum, await signedIn(app, person), 'one@example.org')
      const { token } = await linkTo(db, person.email)
      await signUp(forum, person.email)
      const holder = db.updateTable('people').where('email', '=', person.email)
      const { id } = await db
        .selectFrom('people')
        .select('id')
        .where('email', '=', person.email)
        .executeTakeFirstOrThrow()
      const named = { id, displayName: 'Squatter', email: person.email }
      if (claim === 'confirmed') await holder.set({ email_confirmed_at: new Date() }).execute()
      if (claim === 'admin') await holder.set({ is_admin: true }).execute()
      if (claim === 'staff') await aMember(db, await aCourse(db), 'assistant', named)
      const refused = await visitor(app).post('/undo-email-change', { token })
      assert.equal(refused.statusCode, 410, claim)

      await db.updateTable('people').set({ email: 'moved@example.org' }).where('id', '=', id).execute()
      const undone = await visitor(app).post('/undo-email-change', { token })
      assert.equal(undone.statusCode, 303, `${claim}: a try that failed leaves the link as it was`)
    }
  })
})

suite('taking back an account whose second factor is a thief’s', () => {
  test('needs nothing but the letter that told of it', async (t) => {
    const forum = await aForum(t)
    const { app, db, person } = forum
    const { browser: thief, code } = await anApp(app, person)
    const { path } = await linkTo(db, person.email)
    assert.match(path, /^\/undo-second-factor\?token=/)
    const page = await visitor(app).get(path)
    assert.match(page.body, new RegExp(person.email))
    assert.ok(await isSignedIn(thief), 'opening the link changes nothing')
    await takeBack(forum)
    assert.ok(!(await isSignedIn(thief)))
    const half = visitor(app)
    await half.post('/sign-in', { email: person.email, password: PASSWORD })
    assert.equal((await half.post('/sign-in/code', { code: code() })).headers.location, '/sign-in')
    for (const table of ['second_factors', 'recovery_codes'] as const)
      assert.equal((await db.selectFrom(table).select('person_id').execute()).length, 0)
  })

  test('takes a thief’s passkey away, too, and leaves one the owner had before', async (t) => {
    const forum = await aForum(t)
    const { app, db, person } = forum
    await addPasskey(await signedIn(app, person), new Authenticator(), { name: 'Mine' })
    await addPasskey(await signedIn(app, person), new Authenticator(), { name: 'A thief’s' })
    const { path, token } = await linkTo(db, person.email)
    const undone = await visitor(app).post('/undo-second-factor', { token }, { page: path })
    assert.match(String(undone.headers.location), /^\/new-password/)
    const left = await db.selectFrom('passkeys').select('name').execute()
    assert.deepEqual(left, [{ name: 'Mine' }])
    assert.equal((await db.selectFrom('sessions').select('person_id').execute()).length, 0)
  })

  test('brings the address back as well, and leaves the thief no way back', async (t) => {
    const forum = await aForum(t)
    const { app, db, person } = forum
    const { browser: thief } = await anApp(app, person)
    const owners = await linkTo(db, person.email)
    await moveTo(forum, thief, 'thief@example.org')
    await moveTo(forum, thief, 'thief-2@example.org')
    const thiefs = await linkTo(db, 'thief@example.org')
    await db.deleteFrom('mails').where('kind', '=', 'addressChanged').execute()
    assert.equal((await linkTo(db, person.email)).token, owners.token)
    await takeBack(forum)
    const again = await visitor(app).post('/undo-email-change', { token: thiefs.token })
    assert.equal(again.statusCode, 410)
  })

  test('is a way in for seven days, for this link alone', async (t) => {
    const { app, db, person } = await aForum(t)
    await anApp(app, person)
    const { token } = await linkTo(db, person.email)
    assert.equal((await visitor(app).post('/undo-email-change', { token })).statusCode, 410)
    assert.equal((await visitor(app).post('/new-password', { token, password: OTHER })).statusCode, 410)
    const { expires_at } = await db.selectFrom('mail_links').select('expires_at').executeTakeFirstOrThrow()
    const days = (expires_at.getTime() - Date.now()) / 86_400_000
    assert.ok(days > 6.9 && days <= 7.01, `${days} days`)
  })
})

suite('an account made with somebody else’s address', () => {
  test('loses the stranger’s second factor when the mailbox sets a new password', async (t) => {
    const { app, db, person } = await aForum(t)
    await db.updateTable('people').set({ email_confirmed_at: null }).execute()
    const { browser: stranger } = await anApp(app, person)
    const undo = await linkTo(db, person.email)
    await visitor(app).post('/forgotten-password', { email: person.email })
    const { token } = await linkTo(db, person.email)
    const owner = visitor(app)
    await owner.post('/new-password', { token, password: OTHER })
    assert.ok(!(await isSignedIn(stranger)))
    const entered = await owner.post('/sign-in', { email: person.email, password: OTHER })
    assert.equal(entered.headers.location, '/')
    assert.ok(await isSignedIn(owner))
    assert.equal((await visitor(app).get(undo.path)).statusCode, 410)
  })

  test('is another case than a mailbox that was confirmed: there the factor stays', async (t) => {
    const { app, db, person } = await aForum(t)
    await anApp(app, person)
    await visitor(app).post('/forgotten-password', { email: person.email })
    const { token } = await linkTo(db, person.email)
    await visitor(app).post('/new-password', { token, password: OTHER })
    const half = await visitor(app).post('/sign-in', { email: person.email, password: OTHER })
    assert.equal(half.headers.location, '/sign-in/code')
  })
})

test('a letter tells of new recovery codes, and the second factor’s own leads back', async (t) => {
  const { app, db, person } = await aForum(t)
  const { browser } = await anApp(app, person)
  await browser.post('/settings/second-factor/recovery-codes', { current_password: PASSWORD })
  const [on, made] = await lettersTo(db, person.email)
  assert.equal(on?.kind, 'secondFactorOn')
  assert.equal(made?.kind, 'recoveryCodes')
  assert.match(made.text, /\/forgotten-password$/m)
  assert.doesNotMatch(made.text, /\w{4}-\w{4}-\w{4}/)
})
