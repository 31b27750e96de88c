import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { refuses } from '../../testing/act.ts'
import { signedIn } from '../../testing/browser.ts'
import { sharedForum } from '../../testing/forum.ts'
import { rowOf } from '../../testing/rows.ts'
import { anOwner, inSession } from '../testing.ts'
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
