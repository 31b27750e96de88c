import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect } from '../../database/connection.ts'
import { testAppThatHears } from '../../testing/app.ts'
import { signedIn } from '../../testing/browser.ts'
import { aCourse, aPerson, aQuestion } from '../../testing/builders.ts'
import { testDatabase, testDatabaseWithUrl } from '../../testing/database.ts'
import { recordStatements } from '../../testing/statements.ts'
import { countDocuments, findBeginning, refreshStatistics } from './statistics.ts'

const TITLES = [
  'Jackson cannot read a date',
  'Hibernate reads a date twice',
  'A date in JSON',
  '롤백이 되지 않습니다',
  '롤백 전에 커밋됩니다',
  'No rollback: 롤백 안 됨',
]

test('a search takes few statements: none to count words known by then, a word that is nowhere one for each step', async (t) => {
  const db = await testDatabase(t)
  const { app, changes } = await testAppThatHears(t, db)
  const [course] = [await aCourse(db), await aCourse(db)]
  for (const title of TITLES) await aQuestion(db, { course, title })
  await refreshStatistics(db)
  await app.jobs.caughtUp('search', 10_000)
  await app.jobs.stop()
  const person = await signedIn(app, await aPerson(db))
  const most: Record<string, number> = {
    '/search?q=date&page=1': 1,
    '/search?q=date%20jackson%20hibernate%20json': 3,
    // In its course, and in all.
    [`/search?q=date&course=${course.slug}`]: 2,
    '/search?q=%EB%A1%A4%EB%B0%B1': 1,
    // Counted, looked for, counted again, looked for as it may have been meant: in titles and in texts.
    '/search?q=zzyzxian': 5,
    // No word of any document: counted each time.
    '/search/suggestions?q=dat': 2,
    '/search/suggestions?q=%EB%A1%A4': 2,
    '/questions/similar?title=Jackson%20reads%20a%20date': 1,
  }
  const paths = Object.keys(most)
  for (const path of [...paths, ...paths]) assert.equal((await person.get(path)).statusCode, 200, path)
  await changes.caughtUp()
  const statements = recordStatements(t)
  for (const [path, count] of Object.entries(most)) {
    statements.length = 0
    await person.get(path)
    const texts = statements.join('\n\n')
    assert.ok(statements.length <= count, `${path}: ${statements.length} statements\n${texts}`)
  }
})

test('words that another process counted are known within a minute', async (t) => {
  const now = performance.now.bind(performance)
  let later = 0
  t.mock.method(performance, 'now', () => now() + later)
  const { db, url } = await testDatabaseWithUrl(t)
  const other = connect(url)
  t.after(() => other.destroy())
  const course = await aCourse(db)
  for (const title of TITLES.slice(0, 2)) await aQuestion(db, { course, title })
  await refreshStatistics(db)
  const counted = async () => (await countDocuments(other, ['date', 'json'])).countOf('date')
  assert.equal(await counted(), 2)
  for (const title of TITLES.slice(2)) await aQuestion(db, { course, title })
  // Not counted yet, and found nevertheless.
  assert.equal((await countDocuments(other, ['json'])).counts.get('json'), 1)
  await refreshStatistics(db)
  assert.equal(await counted(), 2)
  later = 61_000
  await aQuestion(db, { course, title: 'Written a minute later' })
  assert.equal(await counted(), 3)
})

test('a beginning stands for the counted words with it', async (t) => {
  const db = await testDatabase(t)
  const course = await aCourse(db)
  for (const title of TITLES) await aQuestion(db, { course, title })
  await refreshStatistics(db)
  for (const [beginning, count] of Object.entries({ dat: 3, hib: 1, 롤: 3, zz: 0 }))
    assert.deepEqual(await findBeginning(db, beginning), { match: `'${beginning}':*`, count })
})
