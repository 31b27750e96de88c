import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { act } from '../../testing/act.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { sharedForum } from '../../testing/forum.ts'
import { rowsOf, valuesOf } from '../../testing/rows.ts'
import { knownPassword, newPassword } from '../identity/fields.ts'
import { GUESSES } from '../identity/guesses.ts'
import { hashPassword, isRightPassword } from '../identity/passwords.ts'
import { anOwner, isSignedIn, kindsTo, otherPassword, PASSWORD } from '../testing.ts'
import { signUp } from './sign-up.ts'

const MINA = { display_name: 'Mina Kim', password: 'six blue doors in a row' }

suite('signing up', () => {
  const forum = sharedForum()
  const accountOf = (email: string) => rowsOf(forum.db, 'people', { email })

  test('makes an account of its own fields, signs in and leads to where one wanted to go', async () => {
    const browser = visitor(forum.app)
    const others = { is_admin: 'true', role: 'admin', id: 999, __proto__: 'x', 'people[is_admin]': '1' }
    const next = '/questions/new?kept=abc#title'
    const answer = await browser.post('/sign-up', { ...MINA, ...others, email: ' Mina@Example.ORG ', next })
    assert.deepEqual([answer.statusCode, answer.headers.location], [303, next])
    const [made = assert.fail()] = await accountOf('mina@example.org')
    assert.deepEqual([made.display_name, made.is_admin, made.id === 999], [MINA.display_name, false, false])
    assert.match(made.password_hash ?? '', /^\$argon2id\$/)
    assert.match((await browser.get('/settings')).body, /Welcome! Your account is ready\./)
    const again = await visitor(forum.app).post('/sign-in', { email: 'mina@example.org', ...MINA })
    assert.equal(again.statusCode, 303)
  })

  test('keeps what was typed, but no password, and links each error to its field', async () => {
    const typed = { display_name: ' ', email: 'no address', password: 'short', next: '/tags' }
    const { statusCode, body } = await visitor(forum.app).post('/sign-up', typed)
    assert.equal(statusCode, 422)
    assert.match(body, /There are 3 problems/)
    for (const field of ['display_name', 'email', 'password']) assert.ok(body.includes(`href="#${field}"`))
    for (const kept of ['value="no address"', 'name="next" value="/tags"']) assert.ok(body.includes(kept))
    assert.doesNotMatch(body, /value="short"/)
  })

  test('sent twice makes one account and signs both in', async () => {
    const browsers = [visitor(forum.app), visitor(forum.app)]
    const email = 'twice@example.org'
    const answers = await Promise.all(browsers.map((browser) => browser.post('/sign-up', { ...MINA, email })))
    assert.deepEqual(valuesOf(answers, 'statusCode'), [303, 303])
    assert.equal((await accountOf(email)).length, 1)
    for (const browser of browsers) assert.ok(await isSignedIn(browser))
  })

  test('with somebody’s address needs their password, changes nothing of theirs, and is told once a day', async () => {
    const { email } = await anOwner(forum.db)
    const before = await accountOf(email)
    for (let tries = 0; tries < 2; tries += 1) {
      const refused = await visitor(forum.app).post('/sign-up', { ...MINA, email })
      assert.equal(refused.statusCode, 422)
      assert.match(refused.body, /You can’t create an account with this address/)
    }
    assert.deepEqual(await kindsTo(forum.db, email), ['addressTaken'])
    const taken = await visitor(forum.app).post('/sign-up', { ...MINA, email, password: PASSWORD })
    assert.equal(taken.statusCode, 303)
    assert.deepEqual(await accountOf(email), before)
  })

  test('is no side door for guessing a password', async () => {
    const { app, db } = forum
    const { email } = await anOwner(db)
    await visitor(app).post('/sign-up', { ...MINA, email })
    for (let tries = 1; tries < GUESSES.max; tries += 1)
      assert.equal(await app.guesses.wait({ email }, '127.0.0.1'), null)
    const right = await visitor(app).post('/sign-up', { ...MINA, email, password: PASSWORD })
    assert.equal(right.statusCode, 422)
    assert.equal((await visitor(app).post('/sign-in', { email, password: PASSWORD })).statusCode, 429)
  })

  test('takes any characters in a password', async () => {
    for (const password of [
      ...['  spaces all  ', '비밀번호를이렇게', '🐢🦊🐝🐙🦉🐳🦜🐞', 'tab\tand\0nul!', 'x<y>"&\'z%00'],
      `${'long '.repeat(51)}!`,
    ]) {
      assert.deepEqual([newPassword().parse(password), knownPassword().parse(password)], [password, password])
      const hash = await hashPassword(password)
      const right = [await isRightPassword(hash, password), await isRightPassword(hash, `${password} `)]
      assert.deepEqual(right, [true, false], password)
    }
    const [email, password] = ['spaces@example.org', ' \t🐢 x<y>"&\'z%00\0 ']
    await visitor(forum.app).post('/sign-up', { ...MINA, email, password })
    assert.equal((await visitor(forum.app).post('/sign-in', { email, password })).statusCode, 303)
  })

  test('takes names of every script and shows them as text', async () => {
    const long = ['x'.repeat(50), '👨‍👩‍👧‍👦'.repeat(7)]
    const names = ['👩‍🏫 Ada', 'שרה כהן', 'O’Neil <b>&amp;</b>', '김민아', '__proto__', ...long]
    const input = { next: '/', ...(await otherPassword(forum.app)) }
    for (const [index, name] of names.entries()) {
      const email = `name${index}@example.org`
      await act(forum, signUp, { actor: null, key: null, input: { ...input, display_name: name, email } })
      const [made = assert.fail()] = await accountOf(email)
      assert.equal(made.display_name, name)
      if (!name.includes('<')) continue
      assert.doesNotMatch((await (await signedIn(forum.app, made)).get('/settings')).body, /<b>&amp;/)
    }
  })
})
