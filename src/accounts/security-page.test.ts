import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { signedIn, visitor } from '../testing/browser.ts'
import { aCourse } from '../testing/builders.ts'
import { sharedForum } from '../testing/forum.ts'
import { setRows } from '../testing/rows.ts'
import { anOwner } from './testing.ts'

const FORMER = {
  '/settings/sessions': 'devices',
  '/settings/sign-in': 'sign-in',
  '/settings/passkeys': 'passkeys',
  '/settings/second-factor': 'second-factor',
  '/settings/activity': 'activity',
}

suite('the page of security', () => {
  const forum = sharedForum()

  test('has a section for each page that it took the place of, whose address leads there', async () => {
    const { app, db } = forum
    const browser = await signedIn(app, await anOwner(db))
    const page = await browser.get('/settings/security')
    for (const [path, section] of Object.entries(FORMER)) {
      const moved = await browser.get(`${path}?course=rest`)
      const { location } = moved.headers
      assert.deepEqual([moved.statusCode, location], [301, `/settings/security?course=rest#${section}`])
      assert.match(page.body, new RegExp(`<section [^>]*id="${section}"`))
      const { statusCode, headers } = await visitor(app).get(path)
      assert.deepEqual([statusCode, String(headers.location).startsWith('/sign-in')], [303, true], path)
    }
    const ids = [...page.body.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
    assert.equal(new Set(ids).size, ids.length, 'no two things have the same id')
  })

  test('says its times in the zone of the course it was opened from, where its reader chose none', async () => {
    const { app, db } = forum
    const person = await anOwner(db)
    const { slug } = await aCourse(db, { timeZone: 'Asia/Seoul' })
    await aCourse(db, { timeZone: 'America/Lima' })
    const browser = await signedIn(app, person)
    await browser.post('/settings/sessions/delete-others')
    const zones = async (path: string) => {
      const { body } = await browser.get(path)
      const section = (id: string) => body.slice(body.indexOf(`<section class="settings-section" id="${id}"`))
      return ['devices', 'activity'].map((id) => /<time [^>]*title="[^"]* (\S+)"/.exec(section(id))?.[1])
    }
    const opened = await zones(`/settings/security?course=${slug}`)
    assert.deepEqual(opened, ['Asia/Seoul', 'Asia/Seoul'])
    await setRows(db, 'people', person.id, { time_zone: 'Europe/Berlin' })
    assert.deepEqual(await zones('/settings/security'), ['Europe/Berlin', 'Europe/Berlin'])
  })

  test('lists older activity on pages of the same section', async () => {
    const { app, db } = forum
    const person = await anOwner(db)
    const browser = await signedIn(app, person)
    const entry = { act: 'other-sessions-ended', actor_id: person.id, role: 'self', detail: '{}' } as const
    await db.insertInto('audit').values(Array(51).fill(entry)).execute()
    const page = await browser.get('/settings/security')
    const older = /rel="next" href="([^"]+)"|href="([^"]+)" rel="next"/.exec(page.body)
    assert.match(older?.[1] ?? older?.[2] ?? '', /^\/settings\/security\?after=[^#]+#activity$/)
  })
})
