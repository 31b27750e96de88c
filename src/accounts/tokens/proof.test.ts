import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { type Browser, signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, aPerson, type MadePerson } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { textOf } from '../../testing/page.ts'
import { setRows } from '../../testing/rows.ts'
import { proofForPassword } from '../identity/queries.ts'
import { anOwner, inSession, OTHER_PASSWORD, PASSWORD } from '../testing.ts'
import { dayAhead } from './own-tokens.ts'

const WISHED = { name: 'Note <book>', scopes: ['write', 'staff'] }
const isMade = (answer: { readonly statusCode: number; readonly body: string }) =>
  answer.statusCode === 200 && /handup_[0-9A-Za-z]{36}/.test(answer.body)

suite('before a token is made', () => {
  const forum = sharedForum()

  /** An instructor, and the pages with forms for tokens: their own, and the course's. */
  async function instructor(owner?: MadePerson) {
    const course = await aCourse(forum.db)
    const person = await aMember(forum.db, course, 'instructor', owner ?? (await anOwner(forum.db)))
    return { ...person, course, pages: ['/settings/tokens', `/courses/${course.slug}/settings/tokens`] }
  }
  const passes = (minutes: number, id: number) => {
    const earlier = { proved_at: sql`proved_at - ${minutes} * interval '1 minute'` }
    return setRows(forum.db, 'sessions', { person_id: id }, earlier)
  }

  test('a refusal keeps what was typed, but no password', async () => {
    const owner = await instructor()
    const browser = await signedIn(forum.app, owner)
    const typed = {
      ...WISHED,
      course: owner.course.slug,
      ends: dayAhead(9),
      current_password: 'not this one',
    }
    for (const page of owner.pages) {
      const { statusCode, body } = await browser.post(page, typed)
      assert.equal(statusCode, 422, page)
      for (const kept of ['Note &lt;book&gt;', dayAhead(9)]) assert.ok(body.includes(`value="${kept}"`), kept)
      assert.doesNotMatch(body, /not this one/)
      if (page !== '/settings/tokens') continue
      for (const scope of ['read', 'write', 'staff'])
        assert.match(body, new RegExp(`value="${scope}" checked`), 'read comes with staff')
      assert.ok(body.includes(`value="${owner.course.slug}" selected`), 'the course')
    }
  })

  test('a password typed to sign in or up does for a quarter of an hour, and for nothing but such keys', async () => {
    const { app } = forum
    const owner = await instructor()
    const browser = visitor(app)
    await browser.post('/sign-in', { email: owner.email, password: PASSWORD })
    await hasToTypeItFor(browser, ['/settings/security', '/settings', '/settings/account'])
    await passes(14, owner.id)
    for (const page of owner.pages) {
      assert.doesNotMatch((await browser.get(page)).body, /name="current_password"/)
      assert.ok(isMade(await browser.post(page, WISHED)), page)
    }
    const changed = await browser.post('/settings/password', { password: OTHER_PASSWORD })
    assert.equal(changed.statusCode, 422, 'a new password asks for the current one')
    await passes(1, owner.id)
    await hasToTypeItFor(browser, owner.pages)

    const newcomer = visitor(app)
    const account = { display_name: 'Mina', email: 'mina-tokens@example.com', password: PASSWORD }
    assert.equal((await newcomer.post('/sign-up', account)).statusCode, 303)
    assert.ok(isMade(await newcomer.post('/settings/tokens', WISHED)))
    await hasToTypeItFor(newcomer, ['/settings/security'])
  })

  test('so do the other ways, each for as long as it replaces the password; an older sign-in for none', async () => {
    const owner = await instructor()
    const minutes = { link: 60, passkey: 15, 'fresh-provider': 15, provider: 0, code: 0 } as const
    for (const [way, lasts] of Object.entries(minutes)) {
      const { key } = await inSession(forum.db, owner, [way as keyof typeof minutes])
      const asked = async () => (await proofForPassword(forum.db, owner.id, key.sessionToken, 'key')).by
      if (lasts > 0) {
        await passes(lasts - 1, owner.id)
        assert.equal(await asked(), way)
        await passes(1, owner.id)
      }
      assert.equal(await asked(), 'password', way)
      await forum.db.deleteFrom('sessions').where('person_id', '=', owner.id).execute()
    }
  })

  test('who has no password signs in again, and finds what they typed until then', async () => {
    const person = await instructor(await aPerson(forum.db))
    const browser = await signedIn(forum.app, person, ['provider'])
    await passes(15, person.id)
    for (const page of person.pages) {
      const refused = await browser.post(page, { ...WISHED, current_password: 'anything' })
      assert.equal(refused.statusCode, 422)
      assert.match(textOf(refused.body), /Sign in again first/)
      assert.match(refused.body, /id="current_password"/)
      assert.ok(refused.body.includes('value="Note &lt;book&gt;"'))
      const korean = await browser.get(page, { 'accept-language': 'ko' })
      assert.match(korean.body, /비밀번호가 없습니다/)
    }
    const fresh = await signedIn(forum.app, person, ['provider'])
    assert.ok(isMade(await fresh.post('/settings/tokens', WISHED)))
  })
})

async function hasToTypeItFor(browser: Browser, pages: readonly string[]): Promise<void> {
  for (const page of pages) assert.match((await browser.get(page)).body, /name="current_password"/, page)
}
