import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { AddressTaken } from '../../accounts/address/address.ts'
import { DeadLink } from '../../accounts/identity/mail-links.ts'
import { otherPassword } from '../../accounts/testing.ts'
import { act, refuses } from '../../testing/act.ts'
import { visitor } from '../../testing/browser.ts'
import { aForum, type TestForum } from '../../testing/forum.ts'
import { aPerson } from '../../testing/people.ts'
import { rowOf, rowsOf, setRows, valuesOf } from '../../testing/rows.ts'
import { ensureSetUpLink, isSetUpToken, newSetUpLink, setUp } from './set-up.ts'

const BASE = 'http://localhost:3000'
const SECRET = 'a secret that only this test has'
const ADMIN = { display_name: 'Mina Kim', email: 'mina@example.org' }
const COURSE = { title: '자바로 만드는 웹 서비스', field: 'Backend', language: 'ko', time_zone: 'Asia/Seoul' }
const LECTURES = '\n 1. What the web is \r\n\n2.  Resources\tand names\n3. Verbs\n'
const FORM = { ...ADMIN, ...COURSE, password: 'six blue doors in a row', lectures: LECTURES }

const tokenIn = (link: { readonly url: string } | null) =>
  new URL(link?.url ?? BASE).searchParams.get('token') ?? ''
const aToken = async ({ db }: TestForum, secret = SECRET) => tokenIn(await ensureSetUpLink(db, BASE, secret))

/** As the door gives it to the operation. */
async function doing({ app }: TestForum, token: string) {
  return { ...FORM, ...(await otherPassword(app)), token }
}

suite('setting up a new forum', () => {
  test('makes the admin and the first course, and the link is dead', async (t) => {
    const forum = await aForum(t)
    const { app, db } = forum
    const token = await aToken(forum)
    const browser = visitor(app)
    assert.match((await browser.get(`/set-up?token=${token}`)).body, /Set up your forum/)
    const answer = await browser.post('/set-up', { ...FORM, token })

    assert.equal(answer.statusCode, 303, answer.body)
    const page = await browser.follow(answer)
    assert.equal(page.statusCode, 200)
    assert.match(page.body, /자바로 만드는 웹 서비스/)
    const [admin = assert.fail()] = await db.selectFrom('people').selectAll().execute()
    assert.deepEqual([admin.display_name, admin.email, admin.is_admin], [...Object.values(ADMIN), true])
    const course = await rowOf(db, 'courses', { title: COURSE.title })
    assert.deepEqual([course.title, course.field, course.language, course.time_zone], Object.values(COURSE))
    const lectures = await rowsOf(db, 'lectures', { course_id: course.id })
    assert.deepEqual(valuesOf(lectures, 'title'), [
      '1. What the web is',
      '2. Resources and names',
      '3. Verbs',
    ])
    const { person_id: id, role } = await rowOf(db, 'course_members', { course_id: course.id })
    assert.deepEqual([id, role], [admin.id, 'instructor'])

    const again = { ...FORM, token, email: 'eve@example.org' }
    assert.equal((await visitor(app).post('/set-up', again)).statusCode, 410)
    assert.equal(await isSetUpToken(db, token), false)
    assert.equal(await ensureSetUpLink(db, BASE, SECRET), null)
  })

  test('sent by several at once makes one admin and one course', async (t) => {
    const forum = await aForum(t)
    const input = await doing(forum, await aToken(forum))
    const sent = await Promise.allSettled(
      Array.from({ length: 8 }, (_, index) =>
        act(forum, setUp, { actor: null, key: null, input: { ...input, email: `mina${index}@example.org` } }),
      ),
    )
    const refused = sent.filter((one) => one.status === 'rejected' && one.reason instanceof DeadLink)
    assert.equal(refused.length, 7)
    for (const table of ['people', 'courses'] as const)
      assert.equal((await forum.db.selectFrom(table).selectAll().execute()).length, 1, table)
  })

  test('two starts at once print one link, which works', async (t) => {
    const { db } = await aForum(t)
    const links = await Promise.all(Array.from({ length: 4 }, () => ensureSetUpLink(db, BASE, SECRET)))
    assert.equal(new Set(links.map((link) => link?.url)).size, 1)
    assert.ok(await isSetUpToken(db, tokenIn(links[0] ?? null)))
  })

  test('works only with the link of the latest secret, whose token the database does not know', async (t) => {
    const forum = await aForum(t)
    const older = await aToken(forum)
    const newer = await aToken(forum, `another ${SECRET}`)
    assert.ok(await isSetUpToken(forum.db, newer))
    for (const wrong of ['', '?token=', `?token=${older}`, '?token=a&token=b', '?token=%00']) {
      const page = await visitor(forum.app).get(`/set-up${wrong}`)
      assert.equal(page.statusCode, 410, wrong)
      assert.match(page.body, /This set-up link doesn’t work/)
      assert.match(page.body, /npm run handup -- user set-up/, 'it says how to get another')
    }
    const rows = JSON.stringify(await forum.db.selectFrom('set_up_links').selectAll().execute())
    assert.ok(!rows.includes(newer))
  })

  test('is good for an hour: what an old log has sets up nothing, and a later start or the command makes another', async (t) => {
    const forum = await aForum(t)
    const { db } = forum
    const first = await aToken(forum)
    const ago = (minutes: number) =>
      setRows(
        db,
        'set_up_links',
        { is_only: true },
        { expires_at: new Date(Date.now() + (60 - minutes) * 60_000) },
      )
    await ago(30)
    const link = await ensureSetUpLink(db, BASE, SECRET)
    const later = tokenIn(link)
    assert.notEqual(later, first)
    assert.ok((link?.expiresAt.getTime() ?? 0) > Date.now() + 59 * 60_000)
    const latest = tokenIn(await newSetUpLink(db, BASE, SECRET))
    const good = () => Promise.all([first, later, latest].map((token) => isSetUpToken(db, token)))
    assert.deepEqual(await good(), [false, false, true], 'those in the log before are dead')
    await ago(60)
    assert.deepEqual(await good(), [false, false, false])
    for (const token of [first, latest]) {
      const input = await doing(forum, token)
      await assert.rejects(act(forum, setUp, { actor: null, key: null, input }), DeadLink)
    }
    await aPerson(db, { isAdmin: true })
    assert.equal(await newSetUpLink(db, BASE, SECRET), null)
  })

  test('is over as soon as somebody is made admin by command', async (t) => {
    const forum = await aForum(t)
    const token = await aToken(forum)
    await aPerson(forum.db, { isAdmin: true })
    assert.equal(await isSetUpToken(forum.db, token), false)
    const input = await doing(forum, token)
    await assert.rejects(act(forum, setUp, { actor: null, key: null, input }), DeadLink)
  })

  test('keeps everything typed but the password when something is to be mended', async (t) => {
    const forum = await aForum(t)
    const { email } = await aPerson(forum.db)
    const token = await aToken(forum)
    const input = await doing(forum, token)
    await refuses(forum, setUp, { actor: null, key: null }, [
      [{ ...input, title: '' }, 'title: setUp.title.short'],
      [{ ...input, language: 'fr' }, 'language: forms.choice'],
      [{ ...input, time_zone: 'Nowhere' }, 'time_zone: accounts.timeZone.unknown'],
      [{ ...input, lectures: `fine\n${'x'.repeat(151)}` }, 'lectures: setUp.lectures.long'],
      [{ ...input, lectures: 'a lecture\n'.repeat(501) }, 'lectures: setUp.lectures.many'],
      [{ ...input, field: 'x'.repeat(51) }, 'field: setUp.field.long'],
    ])
    const taken = act(forum, setUp, { actor: null, key: null, input: { ...input, email } })
    await assert.rejects(taken, AddressTaken)
    for (const [field, value] of [
      ['password', 'password1'],
      ['password', 'backend-backend'],
      ['email', email],
    ] as const) {
      const answer = await visitor(forum.app).post('/set-up', { ...FORM, token, [field]: value })
      assert.equal(answer.statusCode, 422, value)
      assert.match(answer.body, new RegExp(`href="#${field}"`))
      assert.match(answer.body, /value="Mina Kim"/)
      assert.match(answer.body, new RegExp(`name="token" value="${token}"`))
      assert.doesNotMatch(answer.body, /six blue doors|password1|backend-backend/)
    }
    assert.deepEqual(await forum.db.selectFrom('courses').selectAll().execute(), [])
    await act(forum, setUp, { actor: null, key: null, input })
  })
})
