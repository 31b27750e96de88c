import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { type Browser, signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, aPerson } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { textOf } from '../../testing/page.ts'
import { GUESSES } from '../identity/guesses.ts'
import { hashPassword } from '../identity/passwords.ts'
import { PASSWORD } from '../testing.ts'

const WISHED = { name: 'Note <book>', scopes: ['write', 'staff'] }
const isMade = (answer: { readonly statusCode: number; readonly body: string }) =>
  answer.statusCode === 200 && /handup_[0-9A-Za-z]{36}/.test(answer.body)

suite('before a token is made', () => {
  const forum = sharedForum()

  /** An instructor with a password, and the pages with forms for tokens: their own, and the course's. */
  async function instructor(db: Database) {
    const course = await aCourse(db)
    const owner = await aPerson(db, { passwordHash: await hashPassword(PASSWORD) })
    const person = await aMember(db, course, 'instructor', owner)
    return { ...person, course, pages: ['/settings/tokens', `/courses/${course.slug}/settings/tokens`] }
  }
  const countOf = async (db: Database, { id, course }: Awaited<ReturnType<typeof instructor>>) =>
    (
      await db
        .selectFrom('api_tokens')
        .select('id')
        .where((is) => is.or([is('person_id', '=', id), is('course_id', '=', course.id)]))
        .execute()
    ).length
  const passes = (db: Database, minutes: number, personId: number) =>
    sql`update sessions set proved_at = proved_at - ${minutes} * interval '1 minute' where person_id = ${personId}`.execute(
      db,
    )

  test('the password is asked for where a session was found open, and a refusal keeps what was typed', async () => {
    const { app, db } = forum
    const owner = await instructor(db)
    const browser = await signedIn(app, owner)
    const [ends] = new Date(Date.now() + 9 * 86_400_000).toISOString().split('T')
    const typed = { ...WISHED, course: owner.course.slug, ends: ends ?? '' }
    for (const page of owner.pages) {
      assert.match((await browser.get(page)).body, /name="current_password"/)
      for (const current_password of ['', 'not this one']) {
        const refused = await browser.post(page, { ...typed, current_password })
        assert.equal(refused.statusCode, 422, page)
        assert.match(refused.body, /href="#current_password"/)
        assert.ok(refused.body.includes('value="Note &lt;book&gt;"'), 'the name')
        assert.ok(refused.body.includes(`value="${ends}"`), 'the day')
        assert.doesNotMatch(refused.body, /not this one/)
      }
    }
    assert.equal(await countOf(db, owner), 0)
    const own = await browser.post('/settings/tokens', { ...typed, current_password: 'no' })
    for (const scope of ['read', 'write', 'staff'])
      assert.match(own.body, new RegExp(`value="${scope}" checked`), 'read comes with staff')
    assert.ok(own.body.includes(`value="${owner.course.slug}" selected`), 'the course')
    const nameless = await browser.post('/settings/tokens', {
      ...typed,
      name: '',
      current_password: PASSWORD,
    })
    assert.equal(nameless.statusCode, 422)
    assert.doesNotMatch(nameless.body, /four plain words/)
    for (const page of owner.pages)
      assert.ok(isMade(await browser.post(page, { ...typed, current_password: PASSWORD })), page)
    assert.equal(await countOf(db, owner), 2)
  })

  test('the password cannot be guessed there, in either form', async () => {
    const { app, db } = forum
    const owner = await instructor(db)
    const browser = await signedIn(app, owner)
    const [own = '', ofCourse = ''] = owner.pages
    const post = (page: string, current_password: string) =>
      browser.post(page, { name: 'Mine', scopes: 'read', current_password })
    for (let tries = 0; tries < GUESSES.max; tries += 1)
      assert.equal((await post(tries % 2 === 0 ? own : ofCourse, 'wrong')).statusCode, 422)
    for (const page of owner.pages) {
      const answer = await post(page, PASSWORD)
      assert.equal(answer.statusCode, 429, page)
      assert.ok(Number(answer.headers['retry-after']) > 0)
      assert.ok(answer.body.includes('value="Mine"'))
    }
    assert.equal(await countOf(db, owner), 0)
  })

  test('a password typed to sign in or up does for a quarter of an hour, and for nothing but such keys', async () => {
    const { app, db } = forum
    const owner = await instructor(db)
    const browser = visitor(app)
    await browser.post('/sign-in', { email: owner.email, password: PASSWORD })
    await hasToTypeItFor(browser, ['/settings/security', '/settings', '/settings/account'])
    await passes(db, 14, owner.id)
    for (const page of owner.pages) {
      assert.doesNotMatch((await browser.get(page)).body, /name="current_password"/)
      assert.ok(isMade(await browser.post(page, WISHED)), page)
    }
    const changed = await browser.post('/settings/password', { password: 'a row of seven green bottles' })
    assert.equal(changed.statusCode, 422, 'a new password asks for the current one')
    await passes(db, 1, owner.id)
    for (const page of owner.pages) assert.equal((await browser.post(page, WISHED)).statusCode, 422, page)

    const newcomer = visitor(app)
    const account = { display_name: 'Mina', email: 'mina-tokens@example.com', password: PASSWORD }
    assert.equal((await newcomer.post('/sign-up', account)).statusCode, 303)
    assert.ok(isMade(await newcomer.post('/settings/tokens', WISHED)))
    await hasToTypeItFor(newcomer, ['/settings/security'])
  })

  test('so do the other ways, each for as long as it replaces the password; an older sign-in for none', async () => {
    const { app, db } = forum
    const owner = await instructor(db)
    const minutes = { link: 60, passkey: 15, 'fresh-provider': 15, provider: 0, code: 0 } as const
    for (const way of ['link', 'passkey', 'fresh-provider', 'provider', 'code'] as const) {
      const browser = await signedIn(app, owner, [way])
      const status = async () => (await browser.post('/settings/tokens', WISHED)).statusCode
      if (minutes[way] > 0) {
        await passes(db, minutes[way] - 1, owner.id)
        assert.equal(await status(), 200, way)
        await passes(db, 1, owner.id)
      }
      assert.equal(await status(), 422, way)
      await db.deleteFrom('sessions').where('person_id', '=', owner.id).execute()
    }
  })

  test('who has no password signs in again, and finds what they typed until then', async () => {
    const { app, db } = forum
    const course = await aCourse(db)
    const person = await aMember(db, course, 'instructor')
    const browser = await signedIn(app, person, ['provider'])
    await passes(db, 15, person.id)
    for (const page of ['/settings/tokens', `/courses/${course.slug}/settings/tokens`]) {
      const refused = await browser.post(page, { ...WISHED, current_password: 'anything' })
      assert.equal(refused.statusCode, 422)
      assert.match(textOf(refused.body), /Sign in again first/)
      assert.match(refused.body, /id="current_password"/)
      assert.ok(refused.body.includes('value="Note &lt;book&gt;"'))
      const korean = await browser.get(page, { 'accept-language': 'ko' })
      assert.match(korean.body, /비밀번호가 없습니다/)
    }
    const fresh = await signedIn(app, person, ['provider'])
    assert.ok(isMade(await fresh.post('/settings/tokens', WISHED)))
  })

  test('an assistant is told that a course’s tokens are none of theirs before anything is asked', async () => {
    const { app, db } = forum
    const course = await aCourse(db)
    const assistant = await aMember(db, course, 'assistant')
    const browser = await signedIn(app, assistant)
    const sent = { name: 'Mine', current_password: 'a guess' }
    assert.equal((await browser.post(`/courses/${course.slug}/settings/tokens`, sent)).statusCode, 403)
  })
})

async function hasToTypeItFor(browser: Browser, pages: readonly string[]): Promise<void> {
  for (const page of pages) assert.match((await browser.get(page)).body, /name="current_password"/, page)
}
