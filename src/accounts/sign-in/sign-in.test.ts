import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { hash } from '@node-rs/argon2'
import { signedIn, visitor } from '../../testing/browser.ts'
import { GUESSES } from '../identity/guesses.ts'
import { aForum, PASSWORD } from '../testing.ts'

suite('signing in', () => {
  test('with the right password leads to where one wanted to go', async (t) => {
    const { app, person } = await aForum(t)
    const browser = visitor(app)
    const answer = await browser.post('/sign-in', {
      email: person.email,
      password: PASSWORD,
      next: '/tags?page=2',
    })

    assert.equal(answer.statusCode, 303)
    assert.equal(answer.headers.location, '/tags?page=2')
    const page = await browser.get('/settings')
    assert.equal(page.statusCode, 200)
    assert.match(page.body, /Signed in\./)
  })

  test('takes the address in any case and with blanks around it', async (t) => {
    const { app, person } = await aForum(t)
    const answer = await visitor(app).post('/sign-in', {
      email: ` ${person.email.toUpperCase()} `,
      password: PASSWORD,
    })

    assert.equal(answer.statusCode, 303)
    assert.equal(answer.headers.location, '/')
  })

  test('says the same of a wrong password and of an unknown address, and keeps the address', async (t) => {
    const { app, person } = await aForum(t)
    const wrong = await visitor(app).post('/sign-in', {
      email: person.email,
      password: 'something else',
      next: '/tags',
    })
    const unknown = await visitor(app).post('/sign-in', {
      email: 'nobody@example.com',
      password: PASSWORD,
      next: '/tags',
    })

    for (const [answer, email] of [
      [wrong, person.email],
      [unknown, 'nobody@example.com'],
    ] as const) {
      assert.equal(answer.statusCode, 422)
      assert.match(answer.body, /Wrong email or password/)
      assert.match(answer.body, new RegExp(`value="${email}"`))
      assert.match(answer.body, /href="#password"/)
      assert.match(answer.body, /name="next" value="\/tags"/)
      assert.doesNotMatch(answer.body, /something else|four plain words/)
    }
  })

  test('never leads to another site', async (t) => {
    const { app, person } = await aForum(t)
    for (const next of [
      '//evil.example',
      '/\\evil.example',
      'https:evil.example',
      'https://evil.example/',
      '/%5cevil',
      '/\t/evil.example',
    ]) {
      const page = await visitor(app).get(`/sign-in?next=${encodeURIComponent(next)}`)
      assert.doesNotMatch(page.body, /value="[^"]*evil\.example/, next)
      const answer = await visitor(app).post('/sign-in', { email: person.email, password: PASSWORD, next })
      const target = new URL(String(answer.headers.location), 'http://localhost:3000')
      assert.equal(target.host, 'localhost:3000', next)
    }
  })

  test('is over for who is signed in already', async (t) => {
    const { app, person } = await aForum(t)
    const answer = await (await signedIn(app, person)).get('/sign-in?next=/tags')

    assert.equal(answer.statusCode, 303)
    assert.equal(answer.headers.location, '/tags')
  })

  test('begins a new session and ends the one before', async (t) => {
    const { app, db, person } = await aForum(t)
    const browser = await signedIn(app, person)
    const before = browser.cookies.get('session')
    await browser.post('/sign-in', { email: person.email, password: PASSWORD })

    assert.notEqual(browser.cookies.get('session'), before)
    assert.equal((await db.selectFrom('sessions').selectAll().execute()).length, 1)
  })

  test('replaces a hash of weaker parameters', async (t) => {
    const { app, db, person } = await aForum(t)
    const weak = await hash(PASSWORD, { memoryCost: 8192, timeCost: 1, parallelism: 1 })
    await db.updateTable('people').set({ password_hash: weak }).execute()
    assert.equal(
      (await visitor(app).post('/sign-in', { email: person.email, password: PASSWORD })).statusCode,
      303,
    )

    const { password_hash } = await db.selectFrom('people').select('password_hash').executeTakeFirstOrThrow()
    assert.match(password_hash ?? '', /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    assert.equal(
      (await visitor(app).post('/sign-in', { email: person.email, password: PASSWORD })).statusCode,
      303,
    )
  })
})

suite('guessing a password', () => {
  test('ends after ten wrong ones, even sent at once, and locks nobody else out', async (t) => {
    const { app, person } = await aForum(t)
    const guesser = visitor(app)
    const token = await guesser.token('/sign-in')
    const tries = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        guesser.post('/sign-in', { email: person.email, password: `guess number ${index}` }, { token }),
      ),
    )
    assert.equal(tries.filter((answer) => answer.statusCode === 422).length, GUESSES.max)

    const limited = await guesser.post('/sign-in', { email: person.email, password: PASSWORD })
    assert.equal(limited.statusCode, 429)
    const seconds = Number(limited.headers['retry-after'])
    assert.ok(seconds > 0 && seconds <= GUESSES.window / 1000, `Retry-After: ${seconds}`)
    assert.match(limited.body, /Too many wrong passwords. Try again in 15 minutes/)
    assert.match(limited.body, new RegExp(`value="${person.email}"`))

    const owner = await app.inject({
      method: 'POST',
      url: '/sign-in',
      remoteAddress: '203.0.113.7',
      cookies: Object.fromEntries(guesser.cookies),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ _csrf: token, email: person.email, password: PASSWORD }).toString(),
    })
    assert.equal(owner.statusCode, 303)
  })

  test('is forgotten once the right one was given', async (t) => {
    const { app, person } = await aForum(t)
    for (let round = 0; round < 2; round += 1) {
      for (let wrong = 1; wrong < GUESSES.max; wrong += 1) {
        assert.equal(
          (await visitor(app).post('/sign-in', { email: person.email, password: 'not this' })).statusCode,
          422,
        )
      }
      assert.equal(
        (await visitor(app).post('/sign-in', { email: person.email, password: PASSWORD })).statusCode,
        303,
      )
    }
  })
})
