import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { recount } from '../database/recount.ts'
import { sweepTable } from '../database/terms.ts'
import { signedIn } from '../testing/browser.ts'
import { aCourse, anAnswer, aPerson } from '../testing/builders.ts'
import { sharedForum } from '../testing/forum.ts'
import { setRows } from '../testing/rows.ts'
import { within } from '../testing/within.ts'
import { postedOnceTable, postOnce } from './posted-once.ts'

suite('the same form sent more than once', () => {
  const forum = sharedForum()
  const at = (path: string) => ({ outcome: 'posted', path })

  /** Each form that posts something, with valid fields, and a count of its posts. */
  async function forms() {
    const { db } = forum
    const course = await aCourse(db)
    const answer = await anAnswer(db)
    const count = async (table: 'questions' | 'answers' | 'replies', body: string) => {
      const rows = await db.selectFrom(table).select('id').where('body', '=', body).execute()
      return rows.length
    }
    return {
      count,
      all: [
        [
          'questions',
          '/questions',
          { course: course.slug, title: 'The same title', body: 'ask once', tags: '' },
        ],
        ['answers', `/questions/${answer.question.id}/answers`, { body: 'answer once' }],
        ['replies', `/questions/${answer.question.id}/replies`, { body: 'ask back once' }],
        ['replies', `/answers/${answer.id}/replies`, { body: 'reply once' }],
      ] as const,
    }
  }

  test('50 at once make one post, and all answers lead to it', async () => {
    const { all, count } = await forms()
    const browser = await signedIn(forum.app, await aPerson(forum.db))
    for (const [table, path, fields] of all) {
      const token = await browser.token()
      const sendings = Array.from({ length: 50 }, () => browser.post(path, fields, { token }))
      const answers = await Promise.all(sendings)
      assert.deepEqual([...new Set(answers.map((answer) => answer.statusCode))], [303], path)
      assert.equal(new Set(answers.map((answer) => answer.headers.location)).size, 1, path)
      assert.equal(await count(table, fields.body), 1, path)
      assert.match((await browser.follow(answers[49] ?? assert.fail())).body, new RegExp(fields.body))
    }
    assert.deepEqual(await recount(forum.db), [])
  })

  test('the same words from a new form are a new post, as are other words from the same form', async () => {
    const { all, count } = await forms()
    const browser = await signedIn(forum.app, await aPerson(forum.db))
    for (const [table, path, fields] of all) {
      const again = { ...fields, body: `${fields.body}, then again` }
      const [first, second] = [await browser.token(), await browser.token()]
      await browser.post(path, again, { token: first })
      await browser.post(path, again, { token: first })
      await browser.post(path, again, { token: second })
      assert.equal(await count(table, again.body), 2, path)
      await browser.post(path, { ...again, body: `${again.body}!` }, { token: first })
      assert.equal(await count(table, `${again.body}!`), 1, path)
    }
  })

  test('a sending whose first try failed is done by the second', async () => {
    const { db } = forum
    const person = await aPerson(db)
    const once = { key: Buffer.alloc(32, 7), personId: person.id }
    await assert.rejects(
      within(db, postOnce, once, async () => Promise.reject(new Error('a full disk'))),
      /a full disk/,
    )
    assert.deepEqual(await within(db, postOnce, once, async () => at('/second')), at('/second'))
    assert.equal((await within(db, postOnce, once, async () => at('/third'))).path, '/second')
  })

  test('keys are forgotten after two days', async () => {
    const { db } = forum
    const person = await aPerson(db)
    const once = { key: Buffer.alloc(32, 9), personId: person.id }
    await within(db, postOnce, once, async () => at('/first'))
    await sweepTable(db, postedOnceTable)
    assert.deepEqual(await within(db, postOnce, once, async () => at('/second')), {
      outcome: null,
      path: '/first',
    })
    await setRows(db, 'posted_once', { key: once.key }, { posted_at: sql`now() - interval '3 days'` })
    await sweepTable(db, postedOnceTable)
    assert.deepEqual(await within(db, postOnce, once, async () => at('/third')), at('/third'))
  })
})
