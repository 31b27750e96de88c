import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabaseWithUrl } from '../../testing/database.ts'
import { complaints, explained } from '../../testing/plans.ts'
import { loadForum } from '../../tools/generate/load.ts'
import { findHits } from './found-questions.ts'
import { MAX_RANKED } from './plan.ts'
import { parseQuery } from './query.ts'
import { search } from './search.ts'
import { findSimilar } from './similar/similar.ts'
import { refreshStatistics } from './statistics.ts'

const QUESTIONS = 5000
/** What may be ranked, and the tags of that; more questions than this have a common word. */
const MAX_ROWS = 3.5 * MAX_RANKED

/** Words of the generated forum: error is in three of four questions, 오류 in one of four, and Kalo in hardly any. */
const QUERIES = [
  ...['error', 'error method', 'error method request ', 'error -method', '"error method"', 'err', 'meth'],
  ...['오류', '오류를 요청에서', '수', 'error 오류', 'NullPointerException', 'List<ErrorMethod>'],
  ...['GET /errors/{id}', 'zyzzyvaquux', 'monad functor', 'error is:unanswered', 'error lecture:3'],
  ...['is:unanswered', 'tag:spring'],
  ...['error course:web-applications-from-the-ground-up', 'tag:spring error', 'error answers:3..'],
  ...['error by:kalo', 'error by:서진'],
]

test('no search looks at more than it may rank, and none reads a whole table', async (t) => {
  const { db, url } = await testDatabaseWithUrl(t)
  await loadForum(url, { questions: QUESTIONS, seed: 13, course: null }, { begin() {}, advance() {} })
  await refreshStatistics(db)
  const complaintsOf = async (look: Parameters<typeof explained>[1]) =>
    (await explained(url, look)).flatMap((plan) => complaints(plan, MAX_ROWS))
  for (const typed of QUERIES) {
    const found = await complaintsOf(async (recorded) => {
      const { hits } = await search(recorded, null, parseQuery(typed))
      const shown = hits.slice(0, 20).map((hit) => hit.id)
      await findHits(recorded, shown)
    })
    assert.deepEqual(found, [], typed)
  }
  const title = 'Why does the server return an error for each request to the method?'
  for (const body of ['', 'The class has a list of objects, and the test calls the service with a string.']) {
    const to = { title, body, tags: ['spring'], courseId: null, exceptId: null }
    assert.deepEqual(await complaintsOf((recorded) => findSimilar(recorded, null, to)), [])
  }
})
