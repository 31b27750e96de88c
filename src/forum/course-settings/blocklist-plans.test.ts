import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { testDatabaseWithUrl } from '../../testing/database.ts'
import { complaints, explained } from '../../testing/plans.ts'
import { loadForum } from '../../tools/generate/load.ts'
import { previewBlocklists } from './blocklist-preview.ts'

test('a preview of blocklists reads the questions that were active last, and a thousand of their posts', async (t) => {
  const { db, url } = await testDatabaseWithUrl(t)
  await loadForum(url, { questions: 3000, seed: 3, course: 'long' }, { begin() {}, advance() {} })
  await sql`analyze`.execute(db)
  const { id } = await db.selectFrom('courses').select('id').executeTakeFirstOrThrow()
  const lists = { words: ['the'], links: [], emails: [] }
  for (const courseId of [id, null]) {
    const plans = await explained(url, async (recorded) => {
      const { looked, count } = await previewBlocklists(recorded, courseId, lists, 'http://localhost:3000')
      assert.ok(looked > 900 && count > 100)
    })
    // Of 7,500 answers and half as many replies. The questions are a thousand, with all that is below them.
    assert.deepEqual(
      plans.flatMap((plan) => complaints(plan, 5000)),
      [],
    )
  }
})
