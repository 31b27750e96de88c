import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { sweepTable } from '../../database/terms.ts'
import { signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, aPerson } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { rowsOf, setRows, valuesOf } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { lettersTo } from '../testing.ts'
import { KeptTokens } from './access.ts'
import { dayAhead } from './own-tokens.ts'
import { isSecret } from './secret.ts'
import { aCourseToken, aToken } from './testing.ts'
import { apiTokens, listTokens, revokeToken } from './token.ts'

suite('tokens', () => {
  const forum = sharedForum()
  const accessOf = (token: string) => new KeptTokens(forum.db, null).accessOf(token)

  test('say by themselves that they are ours, and are stored as hashes', async () => {
    const token = await aToken(forum, await aPerson(forum.db))
    assert.match(token, /^handup_[0-9A-Za-z]{36}$/)
    const other = token.endsWith('A') ? 'B' : 'A'
    assert.equal(isSecret('api', token), true)
    assert.equal(isSecret('api', `${token.slice(0, -1)}${other}`), false)
    assert.ok(!JSON.stringify(await rowsOf(forum.db, 'api_tokens', {})).includes(token.slice(7)))
  })

  test('give no more than their scopes, their course, and what their owner may', async () => {
    const [course, other] = [await aCourse(forum.db), await aCourse(forum.db)]
    const staff = await aMember(forum.db, course, 'instructor')
    await aMember(forum.db, other, 'assistant', staff)
    const rolesOf = async (token: string) => (await accessOf(token))?.person.roles
    const all = { [course.id]: 'instructor', [other.id]: 'assistant' }
    assert.deepEqual(await rolesOf(await aToken(forum, staff, ['read', 'staff'])), all)
    const reading = await aToken(forum, staff, ['read'], course.id)
    assert.deepEqual(await rolesOf(reading), { [course.id]: 'learner' })
    assert.deepEqual(await rolesOf(await aCourseToken(forum, course)), { [course.id]: 'assistant' })
    const admin = await aPerson(forum.db, { isAdmin: true })
    const whole = await accessOf(await aToken(forum, admin, ['staff']))
    const plain = await accessOf(await aToken(forum, admin, ['read', 'write']))
    assert.deepEqual([whole?.person.isAdmin, plain?.person.isAdmin], [true, false])
  })

  test('end on their day, and at once when they are revoked by their owner alone', async () => {
    const person = await aPerson(forum.db)
    const owner = { personId: person.id, courseId: null }
    const old = await aToken(forum, person)
    const over = { created_at: sql`now() - interval '2 days'`, ends_at: sql`now() - interval '1 second'` }
    await setRows(forum.db, 'api_tokens', { person_id: person.id }, over)
    assert.equal(await accessOf(old), null)
    assert.ok((await sweepTable(forum.db, apiTokens)) >= 1)
    const token = await aToken(forum, person)
    const [{ id } = assert.fail()] = await listTokens(forum.db, owner)
    const stranger = { personId: (await aPerson(forum.db)).id, courseId: null }
    assert.equal(await within(forum.db, revokeToken, stranger, id), null)
    assert.notEqual(await accessOf(token), null)
    assert.notEqual(await within(forum.db, revokeToken, owner, id), null)
    assert.equal(await accessOf(token), null)
  })

  test('of a course are told to its instructors by email, when one is created and when it is revoked', async () => {
    const course = await aCourse(forum.db, { title: 'Web APIs' })
    const makes = await aMember(forum.db, course, 'instructor')
    const hears = await aMember(forum.db, course, 'instructor')
    const assistant = await aMember(forum.db, course, 'assistant')
    const browser = await signedIn(forum.app, makes, ['link'])
    const path = `/courses/${course.slug}/settings/tokens`
    const februaries = [1, 2].map((years) => `${new Date().getUTCFullYear() + years}-02-30`)
    for (const ends of [...februaries, dayAhead(400)])
      assert.equal((await browser.post(path, { name: 'Dashboard', ends })).statusCode, 422, ends)
    const made = await browser.post(path, { name: 'Dashboard', ends: dayAhead(9) })
    const [token = assert.fail()] = /handup_[0-9A-Za-z]{36}/.exec(made.body) ?? []
    assert.equal((await accessOf(token))?.course?.slug, course.slug)
    const [{ id } = assert.fail()] = await listTokens(forum.db, { personId: null, courseId: course.id })
    assert.equal((await browser.post(`${path}/${id}/end`, {})).statusCode, 303)
    assert.equal(await accessOf(token), null)
    const subjects = ['New API token for Web APIs', 'An API token of Web APIs was revoked']
    for (const { email } of [makes, hears]) {
      const letters = await lettersTo(forum.db, email)
      assert.deepEqual(valuesOf(letters, 'kind'), ['courseTokenMade', 'courseTokenRevoked'])
      assert.deepEqual(valuesOf(letters, 'subject'), subjects)
    }
    assert.deepEqual(await lettersTo(forum.db, assistant.email), [])
  })
})
