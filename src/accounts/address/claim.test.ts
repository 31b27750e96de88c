import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Database } from '../../database/schema.ts'
import { giveRole } from '../../forum/courses/roles.ts'
import { type Browser, visitor } from '../../testing/browser.ts'
import { aCourse, aMember } from '../../testing/builders.ts'
import { lockPerson } from '../identity/lock.ts'
import { Authenticator } from '../passkeys/authenticator-testing.ts'
import { addPasskey } from '../passkeys/testing.ts'
import { anApp } from '../second-factor/testing.ts'
import { makeSignInLink } from '../sign-in/links.ts'
import { aForum, linkTo, PASSWORD } from '../testing.ts'
import { claimAccount } from './address.ts'

const PROFESSOR = 'prof@example.org'
const STRANGERS = PASSWORD
const OWNERS = 'a row of seven green bottles'

type Forum = Awaited<ReturnType<typeof aForum>>

/** Somebody who signed up under the professor’s address, and the token of the link that went to the professor. */
async function aSquatter({ app, db }: Forum) {
  const browser = visitor(app)
  await browser.post('/sign-up', { display_name: 'Prof', email: PROFESSOR, password: STRANGERS })
  const { token } = await linkTo(db, PROFESSOR)
  const { id } = await db
    .selectFrom('people')
    .select('id')
    .where('email', '=', PROFESSOR)
    .executeTakeFirstOrThrow()
  return { browser, token, id }
}

function give(db: Database, course: { readonly id: number }, role: 'learner' | 'assistant' | 'instructor') {
  return db.transaction().execute((write) => giveRole(write, course.id, PROFESSOR, role))
}

async function roleOf(db: Database, personId: number): Promise<string | null> {
  const row = await db
    .selectFrom('course_members')
    .select('role')
    .where('person_id', '=', personId)
    .executeTakeFirst()
  return row?.role ?? null
}

async function isSignedIn(browser: Browser): Promise<boolean> {
  return (await browser.get('/settings')).statusCode === 200
}

async function passwordWorks({ app }: Forum, password: string): Promise<boolean> {
  return (await visitor(app).post('/sign-in', { email: PROFESSOR, password })).statusCode === 303
}

suite('a role given to an address that nobody confirmed', () => {
  test('goes to nobody who signed up under it', async (t) => {
    const forum = await aForum(t)
    const course = await aCourse(forum.db, { isPublic: false })
    const squatter = await aSquatter(forum)
    for (const role of ['instructor', 'learner'] as const) {
      assert.equal(await give(forum.db, course, role), 'waiting')
      assert.equal(await roleOf(forum.db, squatter.id), null)
    }
    assert.equal((await squatter.browser.get(`/courses/${course.slug}`)).statusCode, 404)
  })

  test('is the owner’s once they confirm it, and every other way in has ended', async (t) => {
    const forum = await aForum(t)
    const { app, db } = forum
    const course = await aCourse(db)
    const squatter = await aSquatter(forum)
    await addPasskey(squatter.browser, new Authenticator())
    await give(db, course, 'instructor')

    const owner = visitor(app)
    const confirmed = await owner.post('/confirm-email', { token: squatter.token })
    assert.match(String(confirmed.headers.location), /^\/new-password\?token=/)
    assert.equal(await roleOf(db, squatter.id), 'instructor')
    assert.ok(!(await isSignedIn(squatter.browser)))
    assert.ok(!(await passwordWorks(forum, STRANGERS)))
    for (const table of ['sessions', 'passkeys', 'second_factors', 'recovery_codes'] as const)
      assert.equal((await db.selectFrom(table).select('person_id').execute()).length, 0, table)

    const token = new URL(String(confirmed.headers.location), 'http://x').searchParams.get('token') ?? ''
    await owner.post('/new-password', { token, password: OWNERS })
    assert.ok(await passwordWorks(forum, OWNERS))
    assert.deepEqual(await db.selectFrom('pending_roles').selectAll().execute(), [])
  })

  test('is theirs with a new password or a link passed on, which end the other ways in, too', async (t) => {
    for (const way of ['new password', 'link'] as const) {
      const forum = await aForum(t)
      const { app, db } = forum
      const squatter = await aSquatter(forum)
      await give(db, await aCourse(db), 'assistant')
      const owner = visitor(app)
      if (way === 'link') {
        const link = new URL(await makeSignInLink(db, squatter.id, app.config.baseUrl))
        const token = link.searchParams.get('token') ?? ''
        const entered = await owner.post('/sign-in/link', { token })
        assert.equal(entered.headers.location, '/settings')
        assert.ok(await isSignedIn(owner))
      } else {
        await owner.post('/forgotten-password', { email: PROFESSOR })
        const { token } = await linkTo(db, PROFESSOR)
        await owner.post('/new-password', { token, password: OWNERS })
        assert.ok(await passwordWorks(forum, OWNERS))
      }
      assert.equal(await roleOf(db, squatter.id), 'assistant', way)
      assert.ok(!(await isSignedIn(squatter.browser)), way)
      assert.ok(!(await passwordWorks(forum, STRANGERS)), way)
    }
  })

  test('is theirs without losing anything, when they signed up themselves', async (t) => {
    for (const way of ['signed in', 'password'] as const) {
      const forum = await aForum(t)
      const { browser, token, id } = await aSquatter(forum)
      await give(forum.db, await aCourse(forum.db), 'instructor')
      const elsewhere = visitor(forum.app)
      const [confirming, fields] =
        way === 'signed in' ? [browser, {}] : [elsewhere, { as: 'holder', account_password: STRANGERS }]
      const answer = await confirming.post('/confirm-email', { token, ...fields })
      assert.equal(answer.headers.location, way === 'signed in' ? '/' : '/sign-in')
      assert.equal(await roleOf(forum.db, id), 'instructor')
      assert.ok(await isSignedIn(browser))
      assert.ok(await passwordWorks(forum, STRANGERS))
    }
  })

  test('waits on while the password of the account is guessed at', async (t) => {
    const forum = await aForum(t)
    const { token, id, browser } = await aSquatter(forum)
    await give(forum.db, await aCourse(forum.db), 'instructor')
    for (const password of ['', 'wrong']) {
      const fields = { token, as: 'holder', account_password: password }
      const refused = await visitor(forum.app).post('/confirm-email', fields)
      assert.equal(refused.statusCode, 422)
      assert.match(refused.body, /href="#account_password"/)
    }
    assert.equal(await roleOf(forum.db, id), null)
    assert.ok(await isSignedIn(browser))
  })

  test('is never that of an account that is only to be moved to the address', async (t) => {
    const forum = await aForum(t)
    const { app, db, person } = forum
    const thief = visitor(app)
    await thief.post('/sign-in', { email: person.email, password: PASSWORD })
    const change = { new_email: PROFESSOR, email_password: PASSWORD }
    await thief.post('/settings/email', change)
    const { path, token } = await linkTo(db, PROFESSOR)
    const owner = visitor(app)
    assert.match((await owner.get(path)).body, /account_password/)
    assert.equal((await owner.post('/confirm-email', { token })).statusCode, 422)
    const row = await db.selectFrom('people').select('email').where('id', '=', person.id).executeTakeFirst()
    assert.equal(row?.email, person.email)
  })

  test('makes nobody less than they are already', async (t) => {
    const forum = await aForum(t)
    const course = await aCourse(forum.db)
    const squatter = await aSquatter(forum)
    await give(forum.db, course, 'learner')
    const named = { id: squatter.id, displayName: 'Prof', email: PROFESSOR }
    await aMember(forum.db, course, 'assistant', named)
    await forum.db.transaction().execute(async (write) => {
      const person = await lockPerson(write, squatter.id)
      assert.ok(person !== null)
      await claimAccount(write, person, PROFESSOR)
    })
    assert.equal(await roleOf(forum.db, squatter.id), 'assistant')
  })
})

suite('taking back an account whose address was never confirmed', () => {
  test('leaves no passkey and no app of the person who signed up under it', async (t) => {
    const forum = await aForum(t)
    const { app, db } = forum
    const squatter = await aSquatter(forum)
    await addPasskey(squatter.browser, new Authenticator())
    await addPasskey(squatter.browser, new Authenticator())
    const { path, token } = await linkTo(db, PROFESSOR)
    await anApp(app, squatter)
    const undone = await visitor(app).post('/undo-second-factor', { token }, { page: path })
    assert.match(String(undone.headers.location), /^\/new-password/)
    for (const table of ['passkeys', 'second_factors', 'sessions'] as const)
      assert.equal((await db.selectFrom(table).select('person_id').execute()).length, 0, table)
  })
})
