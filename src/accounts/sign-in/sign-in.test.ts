import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { hash } from '@node-rs/argon2'
import { signedIn, visitor } from '../../testing/browser.ts'
import { sharedForum } from '../../testing/forum.ts'
import { withoutTokens } from '../../testing/page.ts'
import { rowOf } from '../../testing/rows.ts'
import { GUESSES } from '../identity/guesses.ts'
import { anOwner, isSignedIn, PASSWORD, waysInto } from '../testing.ts'

const NETWORK = '127.0.0.1'

suite('signing in', () => {
  const forum = sharedForum()

  test('leads to where one wanted to go, with the address in any case and with blanks around it', async () => {
    const { email } = await anOwner(forum.db)
    const browser = visitor(forum.app)
    const typed = { email: ` ${email.toUpperCase()} `, password: PASSWORD, next: '/tags?page=2' }
    const answer = await browser.post('/sign-in', typed)
    assert.deepEqual([answer.statusCode, answer.headers.location], [303, '/tags?page=2'])
    const page = await browser.get('/settings')
    assert.equal(page.statusCode, 200)
    assert.match(page.body, /Signed in\./)
    assert.equal((await browser.get('/sign-in?next=/tags')).headers.location, '/tags', 'it is over')
  })

  test('says the same of a wrong password and of an unknown address, and keeps the address', async () => {
    const known = await anOwner(forum.db)
    const pages: string[] = []
    for (const [email, password] of [
      [known.email, 'something else'],
      ['nobody@example.com', PASSWORD],
    ] as const) {
      const answer = await visitor(forum.app).post('/sign-in', { email, password, next: '/tags' })
      assert.equal(answer.statusCode, 422)
      assert.ok(answer.body.includes(`value="${email}"`))
      assert.ok(!answer.body.includes(password))
      pages.push(withoutTokens(answer.body.replaceAll(email, '')))
    }
    assert.equal(pages[0], pages[1])
    for (const shown of [/Wrong email or password/, /href="#password"/, /name="next" value="\/tags"/])
      assert.match(pages[0] ?? '', shown)
  })

  test('never leads to another site', async () => {
    const { email } = await anOwner(forum.db)
    for (const next of ['//evil.example', '/\\evil.example', 'https://evil.example/']) {
      const page = await visitor(forum.app).get(`/sign-in?next=${encodeURIComponent(next)}`)
      assert.doesNotMatch(page.body, /value="[^"]*evil\.example/, next)
      const answer = await visitor(forum.app).post('/sign-in', { email, password: PASSWORD, next })
      const target = new URL(String(answer.headers.location), 'http://localhost:3000')
      assert.equal(target.host, 'localhost:3000', next)
    }
  })

  test('begins a new session and ends the one before', async () => {
    const owner = await anOwner(forum.db)
    const browser = await signedIn(forum.app, owner)
    const before = browser.cookies.get('session')
    await browser.post('/sign-in', { email: owner.email, password: PASSWORD })
    assert.notEqual(browser.cookies.get('session'), before)
    assert.equal((await waysInto(forum.db, owner)).sessions, 1)
  })

  test('replaces a hash of weaker parameters', async () => {
    const { db } = forum
    const passwordHash = await hash(PASSWORD, { memoryCost: 8192, timeCost: 1, parallelism: 1 })
    const { id, email } = await anOwner(db, { passwordHash })
    const enter = async () =>
      (await visitor(forum.app).post('/sign-in', { email, password: PASSWORD })).statusCode
    assert.equal(await enter(), 303)
    const { password_hash } = await rowOf(db, 'people', id)
    assert.match(password_hash ?? '', /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    assert.equal(await enter(), 303)
  })
})

suite('guessing a password', () => {
  const forum = sharedForum()

  test('ends after ten wrong ones, even sent at once, and locks nobody else out', async () => {
    const { email } = await anOwner(forum.db)
    const guesser = visitor(forum.app)
    const token = await guesser.token('/sign-in')
    const guess = (password: string) => guesser.post('/sign-in', { email, password }, { token })
    const tries = await Promise.all(Array.from({ length: 15 }, (_, index) => guess(`guess ${index}`)))
    assert.equal(tries.filter((answer) => answer.statusCode === 422).length, GUESSES.max)

    const limited = await guess(PASSWORD)
    assert.equal(limited.statusCode, 429)
    const seconds = Number(limited.headers['retry-after'])
    assert.ok(seconds > 0 && seconds <= GUESSES.window / 1000, `Retry-After: ${seconds}`)
    assert.match(limited.body, /Too many wrong passwords. Try again in 15 minutes/)
    assert.match(limited.body, new RegExp(`value="${email}"`))

    const elsewhere = { token, remoteAddress: '203.0.113.7' }
    const owner = await guesser.post('/sign-in', { email, password: PASSWORD }, elsewhere)
    assert.equal(owner.statusCode, 303)
  })

  test('is forgotten once the right one was given', async () => {
    const { email } = await anOwner(forum.db)
    const { guesses } = forum.app
    for (let round = 0; round < 2; round += 1) {
      for (let wrong = 1; wrong < GUESSES.max; wrong += 1) await guesses.wait({ email }, NETWORK)
      const browser = visitor(forum.app)
      await browser.post('/sign-in', { email, password: PASSWORD })
      assert.ok(await isSignedIn(browser), String(round))
    }
  })
})
