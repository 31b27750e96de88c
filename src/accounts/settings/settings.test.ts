import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { refuses } from '../../testing/act.ts'
import { type Browser, signedIn, visitor } from '../../testing/browser.ts'
import { aPerson, aQuestion } from '../../testing/builders.ts'
import { aHearingForum, sharedForum } from '../../testing/forum.ts'
import { rowOf } from '../../testing/rows.ts'
import { questionPath } from '../../web/paths.ts'
import { aForum, anOwner, inSession } from '../testing.ts'
import { profileChange } from './operations.ts'

suite('settings', () => {
  const forum = sharedForum()
  const typed = { display_name: ' 김  민아 ', language: 'ko', time_zone: 'Asia/Seoul', theme: 'dark' }

  async function profileOf({ id }: { readonly id: number }) {
    const { display_name, language, time_zone, theme } = await rowOf(forum.db, 'people', id)
    return { display_name, language, time_zone, theme }
  }

  test('change name, language, time zone and theme', async () => {
    const owner = await anOwner(forum.db)
    const browser = await signedIn(forum.app, owner)
    const answer = await browser.post('/settings', typed)
    assert.equal(answer.headers.location, '/settings')
    const page = (await browser.follow(answer)).body
    for (const shown of ['<html lang="ko" data-theme="dark">', '저장했습니다', 'value="김 민아"'])
      assert.ok(page.includes(shown), shown)
    assert.match(page, /<option value="Asia\/Seoul" selected>/)
    const plain = { display_name: 'Mina', language: 'system', time_zone: '', theme: 'system' }
    await browser.post('/settings', plain)
    assert.deepEqual(await profileOf(owner), { ...plain, language: null, time_zone: null })
  })

  test('refuse what is no choice, and keep what was typed', async () => {
    const owner = await anOwner(forum.db)
    const before = await profileOf(owner)
    await refuses(forum, profileChange, await inSession(forum.db, owner), [
      [{ ...typed, display_name: '' }, 'display_name: accounts.name.short'],
      [{ ...typed, display_name: ['a', 'b'] }, 'display_name: forms.repeated'],
      [{ ...typed, language: 'xx' }, 'language: forms.choice'],
      [{ ...typed, time_zone: 'Mars/Olympus' }, 'time_zone: accounts.timeZone.unknown'],
      [{ ...typed, theme: 'pink' }, 'theme: forms.choice'],
      [{ ...typed, theme: ['dark', 'light'] }, 'theme: forms.repeated'],
    ])
    assert.deepEqual(await profileOf(owner), before)
    const sent = { ...typed, display_name: 'Admin', theme: 'pink' }
    const { statusCode, body } = await (await signedIn(forum.app, owner)).post('/settings', sent)
    assert.equal(statusCode, 422)
    for (const shown of ['href="#display_name"', 'href="#theme"', 'value="Admin"', 'id="appearance"'])
      assert.ok(body.includes(shown), shown)
  })
})

test('visitors choose language and theme, also of cached pages, and others keep theirs', async (t) => {
  const { app, db, changes } = await aHearingForum(t)
  const question = await aQuestion(db)
  await changes.caughtUp()
  const korean = { 'accept-language': 'ko' }
  for (const path of ['/', questionPath(question)]) {
    const [chooser, other] = [visitor(app), visitor(app)]
    await other.get(path)
    const link = await appearanceLink(chooser, path)
    const chosen = { language: 'ko', theme: 'dark', next: path }
    const answer = await chooser.post('/appearance', chosen, { page: link })
    assert.deepEqual([answer.statusCode, answer.headers.location], [303, path])
    assert.match((await chooser.follow(answer)).body, /이 브라우저에 저장했습니다/)

    // Rendered, then from the cache, with and without a spelling of Accept-Language that was seen before.
    for (const headers of [{}, {}, korean, { 'accept-language': 'en' }])
      assert.match((await chooser.get(path, headers)).body, /<html lang="ko" data-theme="dark">/, path)
    for (const headers of [{}, {}, { 'accept-language': 'en' }])
      assert.match((await other.get(path, headers)).body, /<html lang="en">/, path)
    assert.match((await other.get(path, korean)).body, /<html lang="ko">/)
    const [own, theirs] = [await chooser.get(path, korean), await other.get(path, korean)]
    assert.notEqual(own.headers.etag, theirs.headers.etag)

    await chooser.post('/appearance', { language: 'system', theme: 'system', next: path })
    await chooser.get(path)
    assert.match((await chooser.get(path)).body, /<html lang="en">/)
  }
})

test('the form shows what is chosen, and takes nothing else', async (t) => {
  const { app } = await aForum(t)
  const browser = visitor(app)
  await browser.post('/appearance', { language: 'ko', theme: 'light', next: '/tags' })
  const form = (await browser.get('/appearance?next=%2Ftags')).body
  assert.match(form, /<option value="ko" selected/)
  assert.match(form, /<option value="light" selected/)
  assert.match(form, /name="next" value="\/tags"/)

  const strange = { language: 'xx', theme: 'pink', next: '/' }
  assert.equal((await browser.post('/appearance', strange)).statusCode, 422)
  const away = await browser.post('/appearance', { language: 'en', theme: 'dark', next: '//evil.test/' })
  assert.equal(away.headers.location, '/')
  for (const cookie of ['language=xx; theme=pink', 'language=; theme=', 'xlanguage=ko; xtheme=dark'])
    assert.match((await visitor(app).get('/', { cookie })).body, /<html lang="en">/, cookie)
})

test('who is signed in has language and theme in the settings', async (t) => {
  const { app, db } = await aForum(t)
  const browser = await signedIn(app, await aPerson(db, { language: 'en' }))
  browser.cookies.set('theme', 'dark').set('language', 'ko')
  assert.match((await browser.get('/')).body, /<html lang="en">/)
  assert.equal((await browser.get('/appearance')).headers.location, '/settings#appearance')
})

/** The link to the form, which every page of a visitor has. */
async function appearanceLink(browser: Browser, path: string): Promise<string> {
  const link = /href="(\/appearance[^"]*)"/.exec((await browser.get(path)).body)?.[1] ?? ''
  assert.match((await browser.get(link)).body, new RegExp(`name="next" value="${path}"`))
  return link
}
