import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { type Browser, signedIn, visitor } from '../../testing/browser.ts'
import { aPerson } from '../../testing/people.ts'
import { untilWaiting } from '../../testing/waiting.ts'
import type { LockedPerson } from '../identity/lock.ts'
import { hashPassword } from '../identity/passwords.ts'
import { anApp } from '../second-factor/testing.ts'
import { beginSessionOf } from '../sessions/sessions.ts'
import { aForum, lettersTo, linkTo, overtaken, PASSWORD } from '../testing.ts'
import { authenticate } from './authenticate.ts'
import { makeSignInLink } from './links.ts'
import { setPassword } from './sign-up.ts'

const OTHER = 'a row of seven green bottles'
const CIRCUMSTANCES = { baseUrl: 'http://localhost:3000', language: 'en' } as const

type Forum = Awaited<ReturnType<typeof aForum>>

/** The owner sets another password while something waits. */
async function overtakenByPassword<Answer>({ db, person }: Forum, begin: () => Promise<Answer>) {
  const hash = await hashPassword(OTHER)
  return overtaken(db, person, begin, (write, locked: LockedPerson) =>
    setPassword(write, locked, hash, CIRCUMSTANCES),
  )
}

async function isSignedIn(browser: Browser): Promise<boolean> {
  return (await browser.get('/settings')).statusCode === 200
}

suite('signing in while the password is changed', () => {
  test('with the old one begins no session', async (t) => {
    const forum = await aForum(t)
    const browser = visitor(forum.app)
    const signIn = { email: forum.person.email, password: PASSWORD }
    const answer = await overtakenByPassword(forum, () => browser.post('/sign-in', signIn))
    assert.equal(answer.headers.location, '/sign-in')
    assert.match((await browser.follow(answer)).body, /Your account has changed/)
    assert.ok(!(await isSignedIn(browser)))
    assert.equal((await forum.db.selectFrom('sessions').selectAll().execute()).length, 0)
  })

  test('with a link, or with the code after the old one, neither', async (t) => {
    const forum = await aForum(t)
    const { app, db, person } = forum
    const link = await makeSignInLink(db, person.id, CIRCUMSTANCES.baseUrl)
    const [linked, coded] = [visitor(app), visitor(app)]
    const token = new URL(link).searchParams.get('token') ?? ''
    await overtakenByPassword(forum, () => linked.post('/sign-in/link', { token }))
    assert.ok(!(await isSignedIn(linked)))

    await db
      .updateTable('people')
      .set({ password_hash: await hashPassword(PASSWORD) })
      .execute()
    const { code } = await anApp(app, person)
    await coded.post('/sign-in', { email: person.email, password: PASSWORD })
    const answer = await overtakenByPassword(forum, () => coded.post('/sign-in/code', { code: code() }))
    assert.equal(answer.headers.location, '/sign-in')
    assert.ok(!(await isSignedIn(coded)))
  })

  test('nor with the password alone, should a second factor have been turned on since', async (t) => {
    const { app, db, person } = await aForum(t)
    const access = await authenticate(db, person.email, PASSWORD)
    assert.ok(access !== null)
    await anApp(app, person)
    assert.equal(await beginSessionOf(db, access, 'a test', ['password']), null)
  })
})

suite('what the old password was typed for, while it is changed', () => {
  test('another password stays unset, and another address unasked for', async (t) => {
    const forum = await aForum(t)
    const { app, db, person } = forum
    const thief = await signedIn(app, person)
    const password = 'some words of the thief'
    const set = await overtakenByPassword(forum, () =>
      thief.post('/settings/password', { current_password: PASSWORD, password }),
    )
    assert.match(String(set.headers.location), /^\/sign-in\?next=/)
    const tried = await visitor(app).post('/sign-in', { email: person.email, password })
    assert.equal(tried.statusCode, 422)

    await db
      .updateTable('people')
      .set({ password_hash: await hashPassword(PASSWORD) })
      .execute()
    const again = await signedIn(app, person)
    const asked = await overtakenByPassword(forum, () =>
      again.post('/settings/email', { new_email: 'thief@example.org', email_password: PASSWORD }),
    )
    assert.match(String(asked.headers.location), /^\/sign-in\?next=/)
    assert.deepEqual(await lettersTo(db, 'thief@example.org'), [])
    assert.deepEqual(await db.selectFrom('mail_links').selectAll().execute(), [])
  })

  test('no second factor is set up, and none turned off', async (t) => {
    const forum = await aForum(t)
    const { app, db, person } = forum
    const { browser } = await anApp(app, person)
    const retyped = { current_password: PASSWORD }
    await overtakenByPassword(forum, () => browser.post('/settings/second-factor/delete', retyped))
    assert.equal((await db.selectFrom('second_factors').selectAll().execute()).length, 1)

    await db.deleteFrom('second_factors').execute()
    await db
      .updateTable('people')
      .set({ password_hash: await hashPassword(PASSWORD) })
      .execute()
    const thief = await signedIn(app, person)
    await overtakenByPassword(forum, () => thief.post('/settings/second-factor', retyped))
    assert.equal((await db.selectFrom('second_factors').selectAll().execute()).length, 0)
  })
})

suite('links and accounts that change at once', () => {
  test('a link to a new password does nothing for an account that got another address meanwhile', async (t) => {
    const { app, db, person } = await aForum(t)
    await visitor(app).post('/forgotten-password', { email: person.email })
    const { token } = await linkTo(db, person.email)
    const change = { email: 'mina.new@example.org' }
    const answer = await overtaken(
      db,
      person,
      () => visitor(app).post('/new-password', { token, password: OTHER }),
      (write) => write.updateTable('people').set(change).where('id', '=', person.id).execute(),
    )
    assert.equal(answer.statusCode, 410)
    const signIn = { email: change.email, password: PASSWORD }
    assert.equal((await visitor(app).post('/sign-in', signIn)).statusCode, 303)
  })

  test('none is sent to an address that the account had a moment ago', async (t) => {
    const { app, db, person } = await aForum(t)
    await overtaken(
      db,
      person,
      () => visitor(app).post('/forgotten-password', { email: person.email }),
      (write) =>
        write
          .updateTable('people')
          .set({ email: 'mina.new@example.org' })
          .where('id', '=', person.id)
          .execute(),
    )
    assert.deepEqual(await lettersTo(db, person.email), [])
  })

  test('a name does not come back to an account that is being deleted', async (t) => {
    const { app, db, person } = await aForum(t)
    const [leaving, renaming] = [await signedIn(app, person), await signedIn(app, person)]
    const profile = { display_name: 'Still here', language: 'system', time_zone: '', theme: 'system' }
    const tokens = [await leaving.token(), await renaming.token()]
    // First come, first served.
    const answer = await overtaken(
      db,
      person,
      async () => {
        const left = { posts: 'keep', current_password: PASSWORD }
        const gone = leaving.post('/settings/account/delete', left, { token: tokens[0] ?? null })
        await untilWaiting(db)
        const renamed = renaming.post('/settings', profile, { token: tokens[1] ?? null })
        await gone
        return renamed
      },
      () => untilWaiting(db, 2),
    )
    // Closing the account ended its sessions.
    assert.match(String(answer.headers.location), /^\/sign-in/)
    const row = await db.selectFrom('people').select('display_name').executeTakeFirstOrThrow()
    assert.equal(row.display_name, 'Former member')
  })

  test('two links to new passwords used at once: one sets it, nobody waits for nobody', async (t) => {
    const { app, db, person } = await aForum(t)
    for (let round = 0; round < 4; round += 1) {
      await db.deleteFrom('mail_links').execute()
      await sql`delete from tries`.execute(db)
      const tokens: string[] = []
      for (let asked = 0; asked < 4; asked += 1) {
        await visitor(app).post('/forgotten-password', { email: person.email })
        tokens.push((await linkTo(db, person.email)).token)
      }
      const answers = await Promise.all(
        tokens.map((token) => visitor(app).post('/new-password', { token, password: OTHER })),
      )
      const statuses = answers.map(({ statusCode }) => statusCode).sort()
      assert.deepEqual(statuses, [303, 410, 410, 410])
    }
  })

  test('accounts that ask for each other’s addresses at once do not wait for each other', async (t) => {
    const { app, db, person } = await aForum(t)
    const passwordHash = await hashPassword(PASSWORD)
    const people = [person, ...(await Promise.all([1, 2, 3].map(() => aPerson(db, { passwordHash }))))]
    const browsers = await Promise.all(people.map((one) => signedIn(app, one)))
    for (let round = 1; round <= 3; round += 1) {
      const answers = await Promise.all(
        browsers.map((browser, index) => {
          const other = people[(index + round) % people.length]?.email ?? ''
          return browser.post('/settings/email', { new_email: other, email_password: PASSWORD })
        }),
      )
      assert.deepEqual(
        answers.map(({ statusCode }) => statusCode),
        [303, 303, 303, 303],
      )
    }
  })
})
