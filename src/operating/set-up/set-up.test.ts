import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { testApp } from '../../testing/app.ts'
import type { Ending } from '../../testing/at-end.ts'
import { visitor } from '../../testing/browser.ts'
import { testDatabase } from '../../testing/database.ts'
import { aPerson } from '../../testing/people.ts'
import { ensureSetUpLink, newSetUpLink } from './set-up.ts'

const BASE = 'http://localhost:3000'
const SECRET = 'a secret that only this test has'
const ADMIN = { display_name: 'Mina Kim', email: 'mina@example.org', password: 'six blue doors in a row' }
const COURSE = { title: '자바로 만드는 웹 서비스', field: 'Backend', language: 'ko', time_zone: 'Asia/Seoul' }
const LECTURES = '\n 1. What the web is \r\n\n2.  Resources\tand names\n3. Verbs\n'

suite('setting up a new forum', () => {
  test('makes the admin and the first course, and the link is dead', async (t) => {
    const { app, db, token, path } = await aNewForum(t)
    const browser = visitor(app)
    assert.match((await browser.get(path)).body, /Set up your forum/)
    const answer = await browser.post('/set-up', { token, ...ADMIN, ...COURSE, lectures: LECTURES })

    assert.equal(answer.statusCode, 303, answer.body)
    const page = await browser.follow(answer)
    assert.equal(page.statusCode, 200)
    assert.match(page.body, /자바로 만드는 웹 서비스/)
    const admin = await db.selectFrom('people').selectAll().executeTakeFirstOrThrow()
    assert.deepEqual(
      [admin.display_name, admin.email, admin.is_admin],
      ['Mina Kim', 'mina@example.org', true],
    )
    const course = await db.selectFrom('courses').selectAll().executeTakeFirstOrThrow()
    assert.deepEqual([course.title, course.field, course.language, course.time_zone], Object.values(COURSE))
    const lectures = await db
      .selectFrom('lectures')
      .select(['position', 'title'])
      .orderBy('position')
      .execute()
    assert.deepEqual(
      lectures.map(({ title }) => title),
      ['1. What the web is', '2. Resources and names', '3. Verbs'],
    )
    const [member] = await db.selectFrom('course_members').selectAll().execute()
    assert.deepEqual(member, {
      course_id: course.id,
      person_id: admin.id,
      role: 'instructor',
      mail_rhythm: null,
    })

    assert.equal((await visitor(app).get(path)).statusCode, 410)
    assert.equal(
      (await visitor(app).post('/set-up', { token, ...ADMIN, ...COURSE, email: 'eve@example.org' }))
        .statusCode,
      410,
    )
    assert.equal(await ensureSetUpLink(db, BASE, SECRET), null)
  })

  test('sent by several at once makes one admin and one course', async (t) => {
    const { app, db, token } = await aNewForum(t)
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        visitor(app).post('/set-up', {
          token,
          ...ADMIN,
          ...COURSE,
          email: `mina${index}@example.org`,
          lectures: '',
        }),
      ),
    )
    assert.equal(answers.filter((answer) => answer.statusCode === 303).length, 1)
    assert.equal(answers.filter((answer) => answer.statusCode === 410).length, 7)
    assert.equal((await db.selectFrom('people').selectAll().execute()).length, 1)
    assert.equal((await db.selectFrom('courses').selectAll().execute()).length, 1)
  })

  test('two starts at once print one link, which works', async (t) => {
    const db = await testDatabase(t)
    const app = await testApp(t, db)
    const links = await Promise.all(Array.from({ length: 4 }, () => ensureSetUpLink(db, BASE, SECRET)))
    assert.equal(new Set(links.map((link) => link?.url)).size, 1)
    assert.equal((await visitor(app).get(links[0]?.url.slice(BASE.length) ?? '')).statusCode, 200)
  })

  test('works only with the link of the latest secret, whose token the database does not know', async (t) => {
    const { app, db, path } = await aNewForum(t)
    const newer = await ensureSetUpLink(db, BASE, `another ${SECRET}`)
    assert.equal((await visitor(app).get(path)).statusCode, 410)
    assert.equal((await visitor(app).get(newer?.url.slice(BASE.length) ?? '')).statusCode, 200)
    for (const wrong of [
      '/set-up',
      '/set-up?token=',
      '/set-up?token=made-up',
      '/set-up?token=a&token=b',
      '/set-up?token=%00',
    ]) {
      const page = await visitor(app).get(wrong)
      assert.equal(page.statusCode, 410, wrong)
      assert.match(page.body, /This set-up link doesn’t work/)
      assert.match(page.body, /npm run handup -- user set-up/, 'it says how to get another')
    }
    const rows = JSON.stringify(await db.selectFrom('set_up_links').selectAll().execute())
    assert.ok(!rows.includes(newer?.url.split('token=')[1] ?? ''))
  })

  test('is good for an hour: what an old log has sets up nothing, and a later start or the command makes another', async (t) => {
    const { app, db, token, path } = await aNewForum(t)
    const ago = (minutes: number) =>
      db
        .updateTable('set_up_links')
        .set({ expires_at: new Date(Date.now() + (60 - minutes) * 60_000) })
        .execute()
    await ago(30)
    const later = await ensureSetUpLink(db, BASE, SECRET)
    assert.notEqual(later?.url, `${BASE}${path}`)
    assert.ok((later?.expiresAt.getTime() ?? 0) > Date.now() + 59 * 60_000)
    assert.equal((await visitor(app).get(path)).statusCode, 410, 'the one in the log before is dead')
    const latest = (await newSetUpLink(db, BASE, SECRET))?.url.slice(BASE.length) ?? ''
    assert.equal((await visitor(app).get(later?.url.slice(BASE.length) ?? '')).statusCode, 410)
    assert.equal((await visitor(app).get(latest)).statusCode, 200)
    await ago(60)
    assert.equal((await visitor(app).get(latest)).statusCode, 410)
    const expired = { ...ADMIN, ...COURSE, token: new URL(latest, BASE).searchParams.get('token') ?? '' }
    for (const sent of [{ ...expired }, { ...expired, token }])
      assert.equal((await visitor(app).post('/set-up', sent)).statusCode, 410)
    await aPerson(db, { isAdmin: true })
    assert.equal(await newSetUpLink(db, BASE, SECRET), null)
  })

  test('is over as soon as somebody is made admin by command', async (t) => {
    const { app, db, token, path } = await aNewForum(t)
    await aPerson(db, { isAdmin: true })
    assert.equal((await visitor(app).get(path)).statusCode, 410)
    assert.equal((await visitor(app).post('/set-up', { token, ...ADMIN, ...COURSE })).statusCode, 410)
  })

  test('keeps everything typed but the password when something is to be mended', async (t) => {
    const { app, db, token } = await aNewForum(t)
    const other = await aPerson(db)
    const mends = [
      [{ password: 'password1' }, 'password'],
      [{ password: 'backend-backend' }, 'password'],
      [{ title: '' }, 'title'],
      [{ language: 'fr' }, 'language'],
      [{ time_zone: 'Nowhere' }, 'time_zone'],
      [{ lectures: `fine\n${'x'.repeat(151)}` }, 'lectures'],
      [{ lectures: 'a lecture\n'.repeat(501) }, 'lectures'],
      [{ field: 'x'.repeat(51) }, 'field'],
      [{ email: other.email }, 'email'],
    ] as const
    for (const [change, field] of mends) {
      const answer = await visitor(app).post('/set-up', {
        token,
        ...ADMIN,
        ...COURSE,
        lectures: LECTURES,
        ...change,
      })
      assert.equal(answer.statusCode, 422, field)
      assert.match(answer.body, new RegExp(`href="#${field}"`))
      assert.match(answer.body, /value="Mina Kim"/)
      assert.match(answer.body, new RegExp(`name="token" value="${token}"`))
      assert.doesNotMatch(answer.body, /six blue doors/)
    }
    assert.equal((await db.selectFrom('courses').selectAll().execute()).length, 0)
    assert.equal(
      (await visitor(app).post('/set-up', { token, ...ADMIN, ...COURSE, lectures: LECTURES })).statusCode,
      303,
    )
  })
})

async function aNewForum(test: Ending) {
  const db = await testDatabase(test)
  const app = await testApp(test, db)
  const link = (await ensureSetUpLink(db, BASE, SECRET))?.url ?? ''
  return { app, db, path: link.slice(BASE.length), token: new URL(link).searchParams.get('token') ?? '' }
}
