import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { visitor } from '../../testing/browser.ts'
import { GUESSES } from '../identity/guesses.ts'
import { aForum, PASSWORD } from '../testing.ts'

const MINA = { display_name: 'Mina Kim', email: 'mina@example.org', password: 'six blue doors in a row' }

suite('signing up', () => {
  test('makes an account, signs in and leads to where one wanted to go', async (t) => {
    const { app, db } = await aForum(t)
    const browser = visitor(app)
    const answer = await browser.post('/sign-up', {
      ...MINA,
      email: ' Mina@Example.ORG ',
      next: '/questions/new?kept=abc#title',
    })

    assert.equal(answer.statusCode, 303)
    assert.equal(answer.headers.location, '/questions/new?kept=abc#title')
    const made = await db
      .selectFrom('people')
      .selectAll()
      .where('email', '=', MINA.email)
      .executeTakeFirstOrThrow()
    assert.equal(made.display_name, MINA.display_name)
    assert.equal(made.is_admin, false)
    assert.match(made.password_hash ?? '', /^\$argon2id\$/)
    assert.match((await browser.get('/settings')).body, /Welcome! Your account is ready\./)
    const again = await visitor(app).post('/sign-in', { email: MINA.email, password: MINA.password })
    assert.equal(again.statusCode, 303)
  })

  test('reads no field but its own', async (t) => {
    const { app, db } = await aForum(t)
    await visitor(app).post('/sign-up', {
      ...MINA,
      is_admin: 'true',
      role: 'admin',
      id: 999,
      __proto__: 'x',
      'people[is_admin]': '1',
    })
    const made = await db
      .selectFrom('people')
      .selectAll()
      .where('email', '=', MINA.email)
      .executeTakeFirstOrThrow()

    assert.equal(made.is_admin, false)
    assert.notEqual(made.id, 999)
  })

  test('keeps what was typed, but no password, and links each error to its field', async (t) => {
    const { app } = await aForum(t)
    const answer = await visitor(app).post('/sign-up', {
      display_name: ' ',
      email: 'no address',
      password: 'short',
      next: '/tags',
    })

    assert.equal(answer.statusCode, 422)
    assert.match(answer.body, /There are 3 problems/)
    for (const field of ['display_name', 'email', 'password'])
      assert.match(answer.body, new RegExp(`href="#${field}"`))
    assert.match(answer.body, /value="no address"/)
    assert.match(answer.body, /name="next" value="\/tags"/)
    assert.doesNotMatch(answer.body, /value="short"/)
  })

  test('sent twice makes one account and signs both in', async (t) => {
    const { app, db } = await aForum(t)
    const [one, other] = [visitor(app), visitor(app)]
    const answers = await Promise.all([one.post('/sign-up', MINA), other.post('/sign-up', MINA)])

    assert.deepEqual(
      answers.map((answer) => answer.statusCode),
      [303, 303],
    )
    assert.equal(
      (await db.selectFrom('people').selectAll().where('email', '=', MINA.email).execute()).length,
      1,
    )
    assert.equal((await one.get('/settings')).statusCode, 200)
    assert.equal((await other.get('/settings')).statusCode, 200)
  })

  test('with somebody’s address needs their password, and changes nothing of theirs', async (t) => {
    const { app, db, person } = await aForum(t)
    const before = await db.selectFrom('people').selectAll().execute()
    const refused = await visitor(app).post('/sign-up', { ...MINA, email: person.email })
    assert.equal(refused.statusCode, 422)
    assert.match(refused.body, /You can’t create an account with this address/)

    const taken = await visitor(app).post('/sign-up', { ...MINA, email: person.email, password: PASSWORD })
    assert.equal(taken.statusCode, 303)
    assert.deepEqual(await db.selectFrom('people').selectAll().execute(), before)
  })

  test('is no side door for guessing a password', async (t) => {
    const { app, person } = await aForum(t)
    for (let tries = 0; tries < GUESSES.max; tries += 1) {
      await visitor(app).post('/sign-up', { ...MINA, email: person.email })
    }
    const right = await visitor(app).post('/sign-up', { ...MINA, email: person.email, password: PASSWORD })
    assert.equal(right.statusCode, 422)
    assert.equal(
      (await visitor(app).post('/sign-in', { email: person.email, password: PASSWORD })).statusCode,
      429,
    )
  })

  test('refuses passwords that are common or made of what everybody knows', async (t) => {
    const { app, db } = await aForum(t)
    await db.insertInto('courses').values({ slug: 'rest', title: 'RESTful Services' }).execute()
    for (const password of [
      'password1',
      'qwertyuiop',
      'Sunshine2024',
      'aaaaaaaaaa',
      'minakim2026',
      'mina@example.org',
      'Handup!!',
      'restful-services',
    ]) {
      const answer = await visitor(app).post('/sign-up', { ...MINA, password })
      assert.equal(answer.statusCode, 422, password)
      assert.match(answer.body, /This password is easy to guess/, password)
    }
  })

  test('takes any characters in a password', async (t) => {
    const { app } = await aForum(t)
    for (const [index, password] of [
      '  spaces all  ',
      '비밀번호를이렇게',
      '🐢🦊🐝🐙🦉🐳🦜🐞',
      'tab\tand\0nul!',
      'x<y>"&\'z%00',
      `${'long '.repeat(51)}!`,
    ].entries()) {
      const email = `mina${index}@example.org`
      const made = await visitor(app).post('/sign-up', { ...MINA, email, password })
      assert.equal(made.statusCode, 303, password)
      assert.equal((await visitor(app).post('/sign-in', { email, password })).statusCode, 303, password)
      assert.equal(
        (await visitor(app).post('/sign-in', { email, password: `${password} ` })).statusCode,
        422,
        password,
      )
    }
  })

  test('takes names of every script and shows them as text', async (t) => {
    const { app, db } = await aForum(t)
    const names = [
      '👩‍🏫 Ada',
      'שרה כהן',
      'O’Neil <b>&amp;</b>',
      '김민아',
      '__proto__',
      'x'.repeat(50),
      '👨‍👩‍👧‍👦'.repeat(7),
    ]
    for (const [index, display_name] of names.entries()) {
      const browser = visitor(app)
      const answer = await browser.post('/sign-up', {
        ...MINA,
        display_name,
        email: `name${index}@example.org`,
      })
      assert.equal(answer.statusCode, 303, display_name)
      assert.doesNotMatch((await browser.get('/settings')).body, /<b>&amp;/)
    }
    const stored = await db
      .selectFrom('people')
      .select('display_name')
      .where('email', 'like', 'name%')
      .orderBy('id')
      .execute()
    assert.deepEqual(
      stored.map((row) => row.display_name),
      names,
    )
  })
})
