import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import timers from 'node:timers/promises'
import { sql } from 'kysely'
import { sweepTable } from '../../database/terms.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { textOf } from '../../testing/page.ts'
import { aPerson } from '../../testing/people.ts'
import { PACE_MS } from '../identity/guesses.ts'
import { mailLinks } from '../identity/mail-links.ts'
import { aForum, lettersTo, linkTo, PASSWORD } from '../testing.ts'

const NEW = 'a row of seven green bottles'

suite('a forgotten password', () => {
  test('is replaced by a link that came by mail', async (t) => {
    const { app, db, person } = await aForum(t, { smtpUrl: 'smtp://127.0.0.1:1' })
    const elsewhere = await signedIn(app, person)
    const browser = visitor(app)
    assert.match((await browser.get('/sign-in')).body, /href="\/forgotten-password"/)
    const asked = await browser.post('/forgotten-password', { email: ` ${person.email.toUpperCase()}` })
    assert.equal(asked.headers.location, '/sign-in')
    assert.match(textOf((await browser.follow(asked)).body), /If an account has this address/)

    const { path, token } = await linkTo(db, person.email)
    assert.equal(path, `/new-password?token=${token}`)
    for (let opened = 0; opened < 3; opened += 1) {
      const page = await browser.get(path)
      assert.equal(page.statusCode, 200)
      assert.match(String(page.headers['cache-control']), /no-store/)
    }
    assert.equal((await elsewhere.get('/settings')).statusCode, 200, 'opening the link changes nothing')

    const set = await browser.post('/new-password', { token, password: NEW }, { page: path })
    assert.equal(set.headers.location, '/sign-in')
    assert.equal((await browser.get('/settings')).statusCode, 303, 'it does not sign in by itself')
    assert.equal((await elsewhere.get('/settings')).statusCode, 303, 'every session has ended')
    const old = await visitor(app).post('/sign-in', { email: person.email, password: PASSWORD })
    assert.equal(old.statusCode, 422)
    await browser.post('/sign-in', { email: person.email, password: NEW })
    const settings = textOf((await browser.get('/settings')).body)
    assert.match(settings, new RegExp(`${person.email} Confirmed`), 'the mailbox is known to be theirs')
    assert.equal((await lettersTo(db, person.email)).at(-1)?.kind, 'passwordChanged')
  })

  test('is asked for with the same answer, after the same time, whether the address is known', async (t) => {
    const { app, db, person } = await aForum(t)
    const browser = visitor(app)
    const token = await browser.token('/forgotten-password')
    let ended = 0
    const pause = timers.setTimeout
    t.mock.method(timers, 'setTimeout', async (delay?: number) => {
      await pause(delay)
      if (delay === PACE_MS) ended += 1
    })
    const answers = []
    for (const email of [person.email, 'nobody@example.com']) {
      const { statusCode, headers, body } = await browser.post('/forgotten-password', { email }, { token })
      assert.equal(ended, answers.length + 1, `${email}: answered once a pause of its own had ended`)
      answers.push({ statusCode, body, location: headers.location, flash: headers['set-cookie'] })
    }
    assert.deepEqual(answers[0], answers[1])
    assert.equal((await db.selectFrom('mails').selectAll().execute()).length, 1)
  })

  test('has a link that works once, for an hour, until the password changes, and for this alone', async (t) => {
    const { app, db, person } = await aForum(t)
    const ask = async () => {
      await visitor(app).post('/forgotten-password', { email: person.email })
      return (await linkTo(db, person.email)).token
    }
    const used = await ask()
    const tries = await Promise.all(
      Array.from({ length: 8 }, () => visitor(app).post('/new-password', { token: used, password: NEW })),
    )
    assert.equal(tries.filter(({ statusCode }) => statusCode === 303).length, 1)
    const old = await ask()
    await db
      .updateTable('mail_links')
      .set({ expires_at: sql`now() - interval '1 second'` })
      .where('used_at', 'is', null)
      .execute()
    const overtaken = await ask()
    const last = await ask()
    await visitor(app).post('/new-password', { token: last, password: `${NEW}!` })
    await visitor(app).post('/sign-up', { display_name: 'Mina', email: 'mina@example.org', password: NEW })
    const confirmation = (await linkTo(db, 'mina@example.org')).token
    for (const token of [used, old, overtaken, last, confirmation, 'made-up', '', '\0', 'x'.repeat(5000)]) {
      const answer = await visitor(app).post('/new-password', { token, password: `${NEW}?` })
      assert.equal(answer.statusCode, 410, token.slice(0, 20))
      assert.match(answer.body, /This link doesn’t work/)
    }
    const page = await visitor(app).get(`/new-password?token=${used}`)
    assert.equal(page.statusCode, 410)
    const signedIn = await visitor(app).post('/sign-in', { email: person.email, password: `${NEW}!` })
    assert.equal(signedIn.statusCode, 303)
  })

  test('keeps only hashes of its links, whose addresses begin with BASE_URL whatever the Host says', async (t) => {
    const { app, db, person } = await aForum(t)
    const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example' }
    await visitor(app).post('/forgotten-password', { email: person.email }, { headers, origin: null })
    const { token } = await linkTo(db, person.email)
    const links = await db.selectFrom('mail_links').selectAll().execute()
    assert.ok(!JSON.stringify(links).includes(token))
    const minutes = ((links[0]?.expires_at.getTime() ?? 0) - Date.now()) / 60_000
    assert.ok(minutes > 59 && minutes <= 60.1, `${minutes} minutes`)
    assert.doesNotMatch(JSON.stringify(await lettersTo(db, person.email)), /evil/)

    assert.equal(await sweepTable(db, mailLinks), 0)
    await db.updateTable('mail_links').set({ expires_at: sql`now() - interval '25 hours'` }).execute()
    assert.equal(await sweepTable(db, mailLinks), 1)
  })

  test('is asked for five times an hour, by anybody', async (t) => {
    const { app, db, person } = await aForum(t)
    const browser = visitor(app)
    const token = await browser.token('/forgotten-password')
    await Promise.all(
      Array.from({ length: 12 }, () =>
        browser.post('/forgotten-password', { email: person.email }, { token }),
      ),
    )
    assert.equal((await lettersTo(db, person.email)).length, 5)
  })

  test('is told of in the person’s language, else the page’s, and without anybody’s words', async (t) => {
    const { app, db } = await aForum(t)
    const korean = await aPerson(db, { language: 'ko', displayName: 'Buy at evil.example' })
    await visitor(app).post('/forgotten-password', { email: korean.email })
    const [letter] = await lettersTo(db, korean.email)
    assert.equal(letter?.subject, '비밀번호 재설정')
    assert.match(letter.html, /<html lang="ko">/)
    assert.doesNotMatch(letter.text + letter.html, /evil\.example/)
    const other = await aPerson(db)
    const headers = { 'accept-language': 'ko' }
    await visitor(app).post('/forgotten-password', { email: other.email }, { headers })
    assert.equal((await lettersTo(db, other.email))[0]?.language, 'ko')
  })

  test('refuses a weak one and what is no address, and keeps the link', async (t) => {
    const { app, db, person } = await aForum(t)
    assert.equal((await visitor(app).post('/forgotten-password', { email: 'no address' })).statusCode, 422)
    await visitor(app).post('/forgotten-password', { email: person.email })
    const { token } = await linkTo(db, person.email)
    for (const password of ['short', 'password1', person.email]) {
      const answer = await visitor(app).post('/new-password', { token, password })
      assert.equal(answer.statusCode, 422, password)
      assert.match(answer.body, /href="#password"/)
      assert.match(answer.body, new RegExp(`name="token" value="${token}"`))
    }
    assert.equal((await visitor(app).post('/new-password', { token, password: NEW })).statusCode, 303)
  })
})
