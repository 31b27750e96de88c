import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { recount } from '../../database/recount.ts'
import { act, refuses } from '../../testing/act.ts'
import { signedIn } from '../../testing/browser.ts'
import { anAnswer, aPerson, aQuestion } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { textOf } from '../../testing/page.ts'
import { answerVote, questionVote } from './vote.ts'

suite('voting', () => {
  const forum = sharedForum()
  /** As its page counts them. */
  const votesOf = async (table: 'questions' | 'answers', id: number) => {
    const query = forum.db.selectFrom(table).select('votes_count').where('id', '=', id)
    return (await query.executeTakeFirstOrThrow()).votes_count
  }

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
        assert.equal(voted.statusCode, 303)
        assert.ok(String(voted.headers.location).startsWith(`/questions/${question.id}/`))
        assert.ok(String(voted.headers.location).endsWith(fragment))
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

  test('a value is 1 or 0', async () => {
    const wrong = ['2', '-1', '', 'yes'].map((value) => [{ value }, 'value: forms.choice'] as const)
    const by = { actor: await aPerson(forum.db), key: (await anAnswer(forum.db)).id }
    await refuses(forum, answerVote, by, [...wrong, [{ value: ['1', '0'] }, 'value: forms.repeated']])
    assert.equal(await votesOf('answers', by.key), 0)
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
