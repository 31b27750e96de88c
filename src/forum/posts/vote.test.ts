import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { recount } from '../../database/recount.ts'
import { act } from '../../testing/act.ts'
import { signedIn } from '../../testing/browser.ts'
import { anAnswer, aPerson, aQuestion } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { textOf } from '../../testing/page.ts'
import { rowOf } from '../../testing/rows.ts'
import { answerVote, questionVote } from './vote.ts'

suite('voting', () => {
  const forum = sharedForum()
  /** As its page counts them. */
  const votesOf = async (table: 'questions' | 'answers', id: number) =>
    (await rowOf(forum.db, table, id)).votes_count

  test('a vote counts once and can be taken back, for questions and answers', async () => {
    const { app, db } = forum
    const answer = await anAnswer(db)
    const { question } = answer
    const voter = await signedIn(app, await aPerson(db))
    for (const [table, id, fragment] of [
      ['questions', question.id, ''],
      ['answers', answer.id, `#answer-${answer.id}`],
    ] as const) {
      for (const value of [1, 1, 0, 0, 1]) {
        const voted = await voter.post(`/${table}/${id}/votes`, { value })
        assert.match(String(voted.headers.location), new RegExp(`^/questions/${question.id}/.*${fragment}$`))
        assert.equal(await votesOf(table, id), value)
        const page = await voter.follow(voted)
        assert.match(textOf(page.body), value === 1 ? /Vote added/ : /Vote removed/)
        const button = new RegExp(
          `action="/${table}/${id}/votes"[\\s\\S]*?<button[^>]*value="(\\d)" aria-pressed="(\\w+)"`,
        ).exec(page.body)
        assert.deepEqual(button?.slice(1), value === 1 ? ['0', 'true'] : ['1', 'false'])
      }
    }
    assert.deepEqual(await recount(db), [])
  })

  test('1,000 votes by 100 people at once, back and forth: the count is who voted last', async () => {
    const { id: key } = await anAnswer(forum.db)
    const people = await Promise.all(Array.from({ length: 100 }, () => aPerson(forum.db)))
    // Every third person's last word is to take it back; ten clicks of each.
    const votes = people.map(async (actor, index) => {
      for (let click = 1; click <= 10; click += 1) {
        const value = click < 10 ? click % 2 === 1 : index % 3 !== 0
        await act(forum, answerVote, { actor, key, input: { value } })
      }
    })
    await Promise.all(votes)
    assert.equal(await votesOf('answers', key), 66)
    assert.deepEqual(await recount(forum.db), [])
  })

  test('the same vote many times at once counts once', async () => {
    const { id: key } = await aQuestion(forum.db)
    const actor = await aPerson(forum.db)
    for (const value of [true, false]) {
      const vote = () => act(forum, questionVote, { actor, key, input: { value } })
      await Promise.all(Array.from({ length: 30 }, vote))
      assert.equal(await votesOf('questions', key), value ? 1 : 0)
    }
  })
})
