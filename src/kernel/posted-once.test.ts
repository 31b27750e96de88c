import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { recount } from '../database/recount.ts'
import { sweepTable } from '../database/terms.ts'
import { signedIn } from '../testing/browser.ts'
import { aPerson, aQuestion } from '../testing/builders.ts'
import { sharedForum } from '../testing/forum.ts'
import { rowsOf, setRows } from '../testing/rows.ts'
import { within } from '../testing/within.ts'
import { postedOnceTable, postOnce } from './posted-once.ts'

suite('the same form sent more than once', () => {
  const forum = sharedForum()
  const at = (path: string) => ({ outcome: 'posted', path })

  async function aForm() {
    const { id } = await aQuestion(forum.db)
    const path = `/questions/${id}/answers`
    const count = async (body: string) =>
      (await rowsOf(forum.db, 'answers', { question_id: id, body })).length
    return { path, count, browser: await signedIn(forum.app, await aPerson(forum.db)) }
  }

  // That every form that posts something is done once: src/web/forms/every-form.test.ts.
  test('50 at once make one post, and all answers lead to it', async () => {
    const { path, count, browser } = await aForm()
    const token = await browser.token()
    const fields = { body: 'answer once' }
    const answers = await Promise.all(Array.from({ length: 50 }, () => browser.post(path, fields, { token })))
    assert.deepEqual([...new Set(answers.map(({ statusCode }) => statusCode))], [303])
    assert.equal(new Set(answers.map(({ headers }) => headers.location)).size, 1)
    assert.equal(await count(fields.body), 1)
    assert.match((await browser.follow(answers[49] ?? assert.fail())).body, /answer once/)
    assert.deepEqual(await recount(forum.db), [])
  })

  test('the same words from a new form are a new post, as are other words from the same form', async () => {
    const { path, count, browser } = await aForm()
    const [first, second] = [await browser.token(), await browser.token()]
    for (const [token, body] of [
      [first, 'again'],
      [first, 'again'],
      [second, 'again'],
      [first, 'again!'],
    ] as const)
      await browser.post(path, { body }, { token })
    assert.deepEqual([await count('again'), await count('again!')], [2, 1])
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
