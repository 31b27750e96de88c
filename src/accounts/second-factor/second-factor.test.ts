import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { sweepTable } from '../../database/terms.ts'
import { act } from '../../testing/act.ts'
import { visitor } from '../../testing/browser.ts'
import { sharedForum } from '../../testing/forum.ts'
import { setRows } from '../../testing/rows.ts'
import { GUESSES } from '../identity/guesses.ts'
import { halfSignIns } from '../sessions/half-sign-ins.ts'
import { passwordChange } from '../settings/operations.ts'
import {
  anOwner,
  inSession,
  isSignedIn,
  mailToken,
  OTHER_PASSWORD,
  otherPassword,
  PASSWORD,
  signInToken,
} from '../testing.ts'
import { anApp } from './testing.ts'
import { appSetUp, codeAt, stepOf } from './totp.ts'

suite('signing in with a second factor', () => {
  const forum = sharedForum()

  /** Somebody with an app, and a way to a browser in which they gave their password. */
  async function aScene() {
    const { app, db } = forum
    const person = await anOwner(db)
    const mine = await anApp(app, person)
    const signIn = { email: person.email, password: PASSWORD, next: '/tags' }
    async function half() {
      const browser = visitor(app)
      const answer = await browser.post('/sign-in', signIn)
      assert.equal(answer.headers.location, '/sign-in/code')
      return browser
    }
    return { app, db, person, ...mine, signIn, half }
  }

  test('is asked for after the password, and nobody is signed in before it', async () => {
    const { code, half } = await aScene()
    const browser = await half()
    assert.ok(!(await isSignedIn(browser)))
    const wrong = await browser.post('/sign-in/code', { code: '000000' })
    assert.equal(wrong.statusCode, 422)
    assert.doesNotMatch(wrong.body, /000000/)
    const right = await browser.post('/sign-in/code', { code: ` ${code().slice(0, 3)} ${code().slice(3)}` })
    assert.equal(right.headers.location, '/tags')
    assert.ok(await isSignedIn(browser))
    assert.equal((await browser.get('/sign-in/code')).headers.location, '/sign-in', 'the step is over')
  })

  test('takes each code once, however many send it at the same moment', async () => {
    const { code, recoveryCodes, half } = await aScene()
    for (const once of [code(), recoveryCodes[0]?.toUpperCase().replaceAll('-', ' ') ?? '']) {
      const browsers = await Promise.all([1, 2, 3].map(half))
      const answers = await Promise.all(browsers.map((one) => one.post('/sign-in/code', { code: once })))
      assert.equal(answers.filter(({ statusCode }) => statusCode === 303).length, 1, once)
      const again = await (await half()).post('/sign-in/code', { code: once })
      assert.equal(again.statusCode, 422)
    }
  })

  test('is not skipped by a sign-in link, a sign-up with one’s password, or a new password', async () => {
    const { app, db, person, signIn } = await aScene()
    const ways = [
      await visitor(app).post('/sign-in/link', { token: await signInToken(db, person) }),
      await visitor(app).post('/sign-up', { ...signIn, display_name: 'x' }),
    ]
    const set = { token: await mailToken(db, person, 'new-password'), password: OTHER_PASSWORD }
    const browser = visitor(app)
    await browser.post('/new-password', set)
    assert.ok(!(await isSignedIn(browser)))
    ways.push(await browser.post('/sign-in', { ...signIn, password: OTHER_PASSWORD }))
    for (const way of ways) assert.equal(way.headers.location, '/sign-in/code')
  })

  test('belongs to a link as to a password: without the code no session has shown it', async () => {
    const { app, db, person, code, half } = await aScene()
    const [linked, owner] = [visitor(app), await half()]
    await linked.post('/sign-in/link', { token: await signInToken(db, person) })
    await owner.post('/sign-in/code', { code: code() })
    assert.ok(await isSignedIn(owner))
    const turnedOff = await owner.post('/settings/second-factor/delete')
    assert.equal(turnedOff.statusCode, 422, 'a password was their way in, not the link')
    // However long the code took.
    await setRows(db, 'sign_in_links', {}, { used_at: sql`used_at - interval '9 minutes'` })
    await linked.post('/sign-in/code', { code: code(1) })
    assert.match((await linked.get('/settings/security')).body, /Turn off/)
    assert.doesNotMatch((await linked.get('/settings/security')).body, /name="current_password"/)
  })

  test('lets codes be guessed five times a password, and ten times in all', async () => {
    const { app, code, signIn } = await aScene()
    const browser = visitor(app)
    for (let round = 0; round < GUESSES.max / 5; round += 1) {
      await browser.post('/sign-in', signIn)
      const token = await browser.token('/sign-in/code')
      const tries = await Promise.all(
        Array.from({ length: 5 }, () => browser.post('/sign-in/code', { code: '12345x' }, { token })),
      )
      for (const wrong of tries) assert.equal(wrong.statusCode, 422)
      assert.equal((await browser.post('/sign-in/code', { code: code() })).headers.location, '/sign-in')
    }
    await browser.post('/sign-in', signIn)
    const limited = await browser.post('/sign-in/code', { code: code() })
    assert.equal(limited.statusCode, 429)
    assert.ok(Number(limited.headers['retry-after']) > 0)
  })

  test('waits ten minutes for the code, and not beyond a change of the password', async () => {
    const { app, db, person, code, half } = await aScene()
    const slow = await half()
    const late = { begun_at: sql`now() - interval '601 seconds'` }
    await setRows(db, 'half_sign_ins', { person_id: person.id }, late)
    assert.equal((await slow.post('/sign-in/code', { code: code() })).headers.location, '/sign-in')
    assert.equal(await sweepTable(db, halfSignIns), 1)
    const overtaken = await half()
    await act(forum, passwordChange, { ...(await inSession(db, person)), input: await otherPassword(app) })
    assert.equal((await overtaken.post('/sign-in/code', { code: code() })).headers.location, '/sign-in')
    for (const token of ['', 'made-up'])
      assert.equal((await visitor(app).post('/sign-in/code', { code: token })).statusCode, 303)
  })
})

test('codes are those of RFC 6238, and a clock may be half a minute off', () => {
  const secret = Buffer.from('12345678901234567890')
  assert.equal(codeAt(secret, 59_000), '287082')
  assert.equal(codeAt(secret, 1_111_111_109_000), '081804')
  assert.equal(stepOf(secret, '287082', 59_000), 1)
  assert.equal(stepOf(secret, '287082', 89_000), 1)
  assert.equal(stepOf(secret, '287082', 20_000), 1)
  assert.equal(stepOf(secret, '287082', 121_000), null)
  const setUp = appSetUp(secret, 'mina@example.org', 'Handup forum.example')
  assert.equal(setUp.secret, 'GEZD GNBV GY3T QOJQ GEZD GNBV GY3T QOJQ')
  assert.match(setUp.address, /secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ/)
})
