import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { suite, test } from 'node:test'
import type { Change } from '../changes/change.ts'
import { Changes } from '../changes/changes.ts'
import { connect } from '../database/connection.ts'
import { recount } from '../database/recount.ts'
import type { Database } from '../database/schema.ts'
import { aPerson, aQuestion, type MadeQuestion } from '../testing/builders.ts'
import { testDatabaseWithUrl } from '../testing/database.ts'
import { recordStatements } from '../testing/statements.ts'
import { postAnswer } from './post-answer.ts'

const post = (db: Database, question: MadeQuestion, personId: number, body = 'Together.') =>
  postAnswer(db, { key: randomBytes(32), personId }, question, body)

suite('answers that come together', () => {
  test('are one statement, which counts all of them and tells of each question once', async (t) => {
    const { db, url } = await testDatabaseWithUrl(t)
    const questions = [await aQuestion(db), await aQuestion(db), await aQuestion(db)]
    const people = [await aPerson(db), await aPerson(db)]
    const changes = new Changes(url)
    await changes.open()
    t.after(() => changes.close())
    const told: Change[] = []
    changes.listen({ changed: (change) => void told.push(change), lost: () => undefined })
    const statements = recordStatements(t)
    const paths = await Promise.all(
      questions.flatMap((question) =>
        people.flatMap(({ id }) => [post(db, question, id), post(db, question, id)]),
      ),
    )
    await changes.caughtUp()
    assert.equal(new Set(paths).size, 12)
    assert.equal(statements.filter((statement) => statement.includes('into answers')).length, 1)
    const posts = told.flatMap((change) => ('question' in change ? [change.question] : []))
    assert.deepEqual(
      posts.sort((one, other) => one - other),
      questions.map(({ id }) => id),
    )
    assert.deepEqual(await recount(db), [])
  })

  test('do not wait for one under a question that somebody else is writing to', async (t) => {
    const { db } = await testDatabaseWithUrl(t)
    const [locked, other, { id }] = [await aQuestion(db), await aQuestion(db), await aPerson(db)]
    const waiting = await db.transaction().execute(async (write) => {
      await write.selectFrom('questions').select('id').where('id', '=', locked.id).forUpdate().execute()
      let isPosted = false
      const late = post(db, locked, id).finally(() => {
        isPosted = true
      })
      await post(db, other, id)
      assert.equal(isPosted, false)
      return { late }
    })
    assert.match(await waiting.late, /#answer-\d+$/)
    assert.deepEqual(await recount(db), [])
  })

  test('are not refused for one that cannot be kept', async (t) => {
    const { db } = await testDatabaseWithUrl(t)
    const [question, { id }] = [await aQuestion(db), await aPerson(db)]
    const bodies = ['Kept.', 'A character that no text has: \u0000', 'Half of one: \ud83d', 'Kept, too.']
    const posted = await Promise.allSettled(bodies.map((body) => post(db, question, id, body)))
    assert.deepEqual(
      posted.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
    )
    assert.deepEqual(await recount(db), [])
  })

  test('in two processes by the same people under the same questions are all there and counted', async (t) => {
    const { db, url } = await testDatabaseWithUrl(t)
    const pools = [connect(url), connect(url)]
    for (const pool of pools) t.after(() => pool.destroy())
    const questions: MadeQuestion[] = []
    const people: number[] = []
    for (let number = 0; number < 8; number += 1) {
      questions.push(await aQuestion(db))
      people.push((await aPerson(db)).id)
    }
    const posts = (pool: Database, shift: number) =>
      questions.flatMap((_question, number) => {
        const question = questions.at(shift * number)
        return question === undefined ? [] : people.map((id) => post(pool, question, id))
      })
    const paths = await Promise.all(pools.flatMap((pool, index) => posts(pool, index === 0 ? 1 : -1)))
    assert.equal(new Set(paths).size, 128)
    assert.deepEqual(await recount(db), [])
  })
})
