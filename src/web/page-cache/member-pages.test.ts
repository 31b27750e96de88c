import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { setFollowing } from '../../forum/follows/following.ts'
import { testApp } from '../../testing/app.ts'
import { signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion } from '../../testing/builders.ts'
import { aHearingForum } from '../../testing/forum.ts'
import { withoutTokens } from '../../testing/page.ts'
import { valuesOf } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { personPath, questionPath } from '../paths.ts'

const PLACEHOLDER = /placeholder-(?:viewer|[\w.-]+?-[0-9a-f]{32})/

test('people with the same rights share a rendered page, each with their own name and token', async (t) => {
  const { app, db, changes } = await aHearingForum(t)
  const question = await aQuestion(db, { answers: 2 })
  const ada = await aPerson(db, { displayName: 'Ada <b>&"' })
  const mina = await aPerson(db, { displayName: '김미나' })
  const [first, second] = [await signedIn(app, ada), await signedIn(app, mina)]
  await changes.caughtUp()
  for (const path of ['/questions', questionPath(question)]) {
    const pages = [await first.get(path), await second.get(path)]
    const loaded = app.pageCache?.members.cache.loaded
    assert.match(pages[0]?.body ?? '', /Ada &lt;b&gt;&amp;&quot;/)
    assert.doesNotMatch(pages[0]?.body ?? '', /김미나/)
    assert.match(pages[1]?.body ?? '', /김미나/)
    assert.ok(pages[1]?.body.includes(`href="${personPath(mina)}`))
    const tokens = pages.map((page) => new Set(page.body.match(/(?<=name="_csrf" value=")[^"]+/g)))
    assert.deepEqual(valuesOf(tokens, 'size'), [1, 1])
    assert.notDeepEqual(tokens[0], tokens[1])
    for (const page of pages) {
      assert.doesNotMatch(page.body, PLACEHOLDER)
      assert.match(String(page.headers['cache-control']), /private, no-store/)
    }
    await first.get(path)
    assert.equal(app.pageCache?.members.cache.loaded, loaded, 'nothing is rendered again')
  }
  assert.equal(app.pageCache?.members.cache.loaded, 4, 'once, and once to be cached')
})

test('people with the same rights share a page, each in their own theme', async (t) => {
  const { app, db, changes } = await aHearingForum(t)
  await aQuestion(db)
  const readers = []
  for (const theme of ['system', 'dark', 'light'] as const) {
    readers.push(await signedIn(app, await aPerson(db, { theme })))
  }
  await changes.caughtUp()
  const roots: (string | undefined)[] = []
  for (const reader of readers) roots.push(/<html[^>]*>/.exec((await reader.get('/questions')).body)?.[0])
  assert.deepEqual(roots, [
    '<html lang="en">',
    '<html lang="en" data-theme="dark">',
    '<html lang="en" data-theme="light">',
  ])
  assert.equal(app.pageCache?.members.cache.loaded, 2, 'once, and once to be cached')
})

test('the token of a cached page is valid for its forms', async (t) => {
  const { app, db, changes } = await aHearingForum(t)
  const question = await aQuestion(db)
  const path = questionPath(question)
  const reader = await signedIn(app, await aPerson(db))
  // What is told of the question itself would drop its page.
  await changes.caughtUp()
  await reader.get(path)
  await reader.get(path)
  await reader.get(path)
  assert.equal(app.pageCache?.members.cache.hits, 1)
  const answer = await reader.post(`/questions/${question.id}/votes`, { value: 1 }, { page: path })
  assert.equal(answer.statusCode, 303)
  assert.match((await reader.get(path)).body, /aria-pressed="true"/)
})

test('a person who asked, answered, voted or follows sees their own page; staff theirs', async (t) => {
  const { app, db, changes } = await aHearingForum(t)
  const fresh = await testApp(t, db)
  const course = await aCourse(db)
  const [asker, helper, staff] = [
    await aPerson(db),
    await aPerson(db),
    await aMember(db, course, 'instructor'),
  ]
  const [voter, follower, reader] = [await aPerson(db), await aPerson(db), await aPerson(db)]
  const question = await aQuestion(db, { course, author: asker })
  const answer = await anAnswer(db, { question, author: helper })
  await db.insertInto('answer_votes').values({ answer_id: answer.id, person_id: voter.id }).execute()
  await within(db, setFollowing, question.id, follower.id, 'follow')
  await changes.caughtUp()
  const path = questionPath(question)
  const pages = new Set<string>()
  for (const person of [reader, asker, helper, voter, follower, staff]) {
    const [shown, made] = [await signedIn(app, person), await signedIn(fresh, person)]
    const page = withoutTokens((await shown.get(path)).body)
    assert.equal(page, withoutTokens((await made.get(path)).body))
    assert.equal(page, withoutTokens((await shown.get(path)).body))
    pages.add(page.replaceAll(personPath(person), '').replaceAll(person.displayName, ''))
  }
  assert.equal(pages.size, 6)
})

test('it comes compressed as the browser wishes, and plain where it does not', async (t) => {
  const { app, db } = await aHearingForum(t)
  await aQuestion(db)
  const reader = await signedIn(app, await aPerson(db, { displayName: 'Zebulon' }))
  await reader.get('/settings')
  const packed = await reader.get('/questions', { 'accept-encoding': 'gzip' })
  assert.equal(packed.headers['content-encoding'], 'gzip')
  assert.match(gunzipSync(packed.rawPayload).toString(), /Zebulon[\s\S]*<\/html>\s*$/)
  const plain = await reader.get('/questions', { 'accept-encoding': 'identity' })
  assert.equal(plain.headers['content-encoding'], undefined)
  assert.match(plain.body, /Zebulon/)
  assert.equal(plain.headers['content-length'], String(plain.rawPayload.length))
  const own = await reader.get('/questions', { 'accept-encoding': 'br' })
  assert.match(brotliDecompressSync(own.rawPayload).toString(), /Zebulon/)
})
