import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testAppThatHears } from '../../testing/app.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, aPerson, aQuestion } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { aHearingForum } from '../../testing/forum.ts'
import { rowsOf, setRows, valuesOf } from '../../testing/rows.ts'
import { recordStatements } from '../../testing/statements.ts'
import { hashToken } from '../../web/tokens.ts'
import { beginSession, personOfSessionHash } from './sessions.ts'

test('who is signed in is looked up once for several pages', async (t) => {
  const { app, db, changes } = await aHearingForum(t)
  await aQuestion(db)
  const mina = await signedIn(app, await aPerson(db))
  await changes.caughtUp()
  const statements = recordStatements(t)
  await mina.get('/tags')
  await mina.get('/tags')
  assert.equal(statements.filter((text) => text.includes('"sessions"')).length, 1)
})

test('people who come at about the same time are looked up together', async (t) => {
  const { app, db, changes } = await aHearingForum(t)
  await aQuestion(db)
  const someone = async (_: unknown, index: number) =>
    signedIn(app, await aPerson(db, { displayName: `P${index}` }))
  const readers = await Promise.all(Array.from({ length: 20 }, someone))
  await changes.caughtUp()
  await setRows(db, 'sessions', {}, { last_seen_at: new Date(Date.now() - 3_600_000) })
  const statements = recordStatements(t)
  const pages = await Promise.all(readers.map((reader) => reader.get('/tags')))
  for (const [index, { body }] of pages.entries()) assert.ok(body.includes(`>P${index}<`), `P${index}`)
  const count = (text: string) => statements.filter((statement) => statement.includes(text)).length
  for (const text of ['from "sessions" as', 'update sessions'])
    assert.ok(count(text) >= 1 && count(text) <= 5, `${count(text)} × ${text}`)
  for (const seen of valuesOf(await rowsOf(db, 'sessions', {}), 'last_seen_at'))
    assert.ok(seen.getTime() > Date.now() - 600_000)
})

test('thousands are remembered without what else was read with each', async (t) => {
  const db = await testDatabase(t)
  const token = await beginSession(db, (await aPerson(db)).id, 'a test')
  const person = await personOfSessionHash(db, hashToken(token))
  assert.deepEqual(person?.session, hashToken(token))
  assert.equal(person?.session?.buffer.byteLength, 32)
})

test('a session ended elsewhere ends at once', async (t) => {
  const { app, db } = await aHearingForum(t)
  const { app: other, changes } = await testAppThatHears(t, db)
  const mina = await signedIn(app, await aPerson(db, { displayName: 'Mina' }))
  const elsewhere = visitor(other)
  for (const [name, value] of mina.cookies) elsewhere.cookies.set(name, value)
  assert.match((await elsewhere.get('/tags')).body, /Mina/)
  await mina.post('/sign-out')
  await changes.caughtUp()
  assert.doesNotMatch((await elsewhere.get('/tags')).body, /Mina/)
})

test('a new name, and a new role, count on the next page', async (t) => {
  const { app, db, changes } = await aHearingForum(t)
  const person = await aPerson(db, { displayName: 'Mina' })
  const course = await aCourse(db, { isPublic: false })
  const mina = await signedIn(app, person)
  assert.match((await mina.get('/tags')).body, /Mina/)
  assert.equal((await mina.get(`/courses/${course.slug}`)).statusCode, 404)
  await setRows(db, 'people', person.id, { display_name: 'Minji' })
  await aMember(db, course, 'learner', person)
  await changes.caughtUp()
  assert.match((await mina.get('/tags')).body, /Minji/)
  assert.equal((await mina.get(`/courses/${course.slug}`)).statusCode, 200)
})
