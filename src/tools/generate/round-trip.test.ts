import { test } from 'node:test'
import { aFolder } from '../../operating/exchange/course-testing.ts'
import { comesBack } from '../../operating/exchange/round-trip-testing.ts'
import { testDatabaseWithUrl } from '../../testing/database.ts'
import { loadForum } from './load.ts'

test('a course of a generated forum comes back whole', async (t) => {
  const { db, url } = await testDatabaseWithUrl(t)
  const quiet = { begin() {}, advance() {} }
  await loadForum(url, { questions: 300, seed: 7, course: 'load-test' }, quiet)
  await comesBack(t, db, { slug: 'load-test', pictures: await aFolder(t) })
})
