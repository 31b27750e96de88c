import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aForum, PASSWORD } from '../testing.ts'

suite('settings', () => {
  test('need signing in, and what was typed is there again after it', async (t) => {
    const { app, person } = await aForum(t)
    const browser = visitor(app)
    assert.equal((await browser.get('/settings')).headers.location, '/sign-in?next=%2Fsettings')
    const sent = await browser.post('/settings', {
      display_name: 'A new name',
      language: 'ko',
      time_zone: '',
      theme: 'dark',
    })
    assert.equal(sent.statusCode, 303)
    const next = new URL(String(sent.headers.location), 'http://localhost').searchParams.get('next') ?? ''
    const answer = await browser.post('/sign-in', { email: person.email, password: PASSWORD, next })
    assert.match((await browser.follow(answer)).body, /value="A new name"/)
  })

  test('change name, language, time zone and theme', async (t) => {
    const { app, db, person } = await aForum(t)
    const browser = await signedIn(app, person)
    const answer = await browser.post('/settings', {
      display_name: ' 김  민아 ',
      language: 'ko',
      time_zone: 'Asia/Seoul',
      theme: 'dark',
    })
    assert.equal(answer.headers.location, '/settings')
    const page = await browser.follow(answer)
    assert.match(page.body, /<html lang="ko" data-theme="dark">/)
    assert.match(page.body, /저장했습니다/)
    assert.match(page.body, /value="김 민아"/)
    assert.match(page.body, /<option value="Asia\/Seoul" selected>/)

    await browser.post('/settings', {
      display_name: 'Mina',
      language: 'system',
      time_zone: '',
      theme: 'system',
    })
    const row = await db
      .selectFrom('people')
      .selectAll()
      .where('id', '=', person.id)
      .executeTakeFirstOrThrow()
    assert.deepEqual(
      [row.display_name, row.language, row.time_zone, row.theme],
      ['Mina', null, null, 'system'],
    )
  })

  test('refuse what is no choice, and keep what was typed', async (t) => {
    const { app, db, person } = await aForum(t)
    const before = await db.selectFrom('people').selectAll().execute()
    const fields = { display_name: '', language: 'xx', time_zone: 'Mars/Olympus', theme: 'pink' }
    const answer = await (await signedIn(app, person)).post('/settings', fields)
    assert.equal(answer.statusCode, 422)
    for (const field of Object.keys(fields)) assert.match(answer.body, new RegExp(`href="#${field}"`))
    const repeated = await (await signedIn(app, person)).post('/settings', {
      display_name: ['a', 'b'],
      theme: ['dark', 'light'],
    })
    assert.equal(repeated.statusCode, 422)
    assert.deepEqual(await db.selectFrom('people').selectAll().execute(), before)
  })

  test('have the section the footer leads to', async (t) => {
    const { app, person } = await aForum(t)
    assert.match((await (await signedIn(app, person)).get('/settings')).body, /id="appearance"/)
  })
})
