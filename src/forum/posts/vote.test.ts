import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { recount } from '../../database/recount.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion } from '../../testing/builders.ts'
import { sharedForum, type TestForum } from '../../testing/forum.ts'
import { textOf } from '../../testing/page.ts'

/** Of a question or an answer, as its page counts them. */
async function votesOf({ db }: TestForum, table: 'questions' | 'answers', id: number): Promise<number> {
  const row = await db.selectFrom(table).select('votes_count').where('id', '=', id).executeTakeFirstOrThrow()
  return row.votes_count
}

suite('voting', () => {
  const forum = sharedForum()

  test('a vote counts once and can be taken back, for questions and answers', async () => {
    const { app, db } = forum
    const answer = await anAnswer(db)
    const { question } = answer
    const voter = await signedIn(app, await aPerson(db))
    for (const [table, id, fragment] of [
      ['questions', question.id, ''],
      ['answers', answer.id, `#answer-${answer.id}`],
    ] as const) {
      for (const [value, count] of [
        [1, 1],
        [1, 1],
        [0, 0],
        [0, 0],
        [1, 1],
      ] as const) {
        const voted = await voter.post(`/${table}/${id}/votes`, { value })
        assert.equal(voted.statusCode, 303)
        assert.ok(String(voted.headers.location).startsWith(`/questions/${question.id}/`))
        assert.ok(String(voted.headers.location).endsWith(fragment))
        assert.equal(await votesOf(forum, table, id), count)
        const page = await voter.follow(voted)
        assert.match(textOf(page.body), value === 1 ? /Vote added/ : /Vote removed/)
        const button = new RegExp(
          `action="/${table}/${id}/votes"[\\s\\S]*?<button[^>]*value="(\\d)" aria-pressed="(\\w+)"`,
        ).exec(page.body)
        assert.deepEqual(button?.slice(1), count === 1 ? ['0', 'true'] : ['1', 'false'])
      }
    }
    assert.deepEqual(await recount(db), [])
  })

  test('nobody votes for their own post, staff and admins neither', async () => {
    const { app, db } = forum
    const course = await aCourse(db)
    for (const author of [await aMember(db, course, 'instructor'), await aPerson(db, { isAdmin: true })]) {
      const question = await aQuestion(db, { course, author })
      const answer = await anAnswer(db, { question, author })
      const browser = await signedIn(app, author)
      assert.equal((await browser.post(`/questions/${question.id}/votes`, { value: 1 })).statusCode, 403)
      assert.equal((await browser.post(`/answers/${answer.id}/votes`, { value: 1 })).statusCode, 403)
      assert.equal(await votesOf(forum, 'questions', question.id), 0)
    }
  })

  test('a visitor is sent to sign in, a wrong value refused, what is gone stays gone', async () => {
    const { app, db } = forum
    const answer = await anAnswer(db)
    const path = `/answers/${answer.id}/votes`
    const asked = await visitor(app).post(path, { value: 1 })
    assert.equal(asked.statusCode, 303)
    assert.match(String(asked.headers.location), /^\/sign-in\?next=/)
    const voter = await signedIn(app, await aPerson(db))
    for (const value of ['2', '-1', '', 'yes', ['1', '0']]) {
      assert.equal((await voter.post(path, { value })).statusCode, 422, String(value))
    }
    assert.equal((await voter.post('/answers/999999/votes', { value: 1 })).statusCode, 404)
    await (await signedIn(app, answer.authorId)).post(`/answers/${answer.id}/delete`)
    assert.equal((await voter.post(path, { value: 1 })).statusCode, 410)
    assert.equal(await votesOf(forum, 'answers', answer.id), 0)
  })

  test('a post of a private course is not there for others to vote on', async () => {
    const { app, db } = forum
    const question = await aQuestion(db, { course: await aCourse(db, { isPublic: false }) })
    const stranger = await signedIn(app, await aPerson(db))
    assert.equal((await stranger.post(`/questions/${question.id}/votes`, { value: 1 })).statusCode, 404)
  })

  test('1,000 votes by 100 people at once, back and forth: the count is who voted last', async () => {
    const { app, db } = forum
    const answer = await anAnswer(db)
    const people = await Promise.all(Array.from({ length: 100 }, () => aPerson(db)))
    // Every third person's last word is to take it back; ten clicks of each, with one page open.
    const votes = people.map(async (person, index) => {
      const browser = await signedIn(app, person)
      const token = await browser.token('/courses')
      for (let click = 1; click <= 10; click += 1) {
        const value = click < 10 ? click % 2 : index % 3 === 0 ? 0 : 1
        const voted = await browser.post(`/answers/${answer.id}/votes`, { value }, { token })
        assert.equal(voted.statusCode, 303)
      }
    })
    await Promise.all(votes)
    assert.equal(await votesOf(forum, 'answers', answer.id), 66)
    assert.deepEqual(await recount(db), [])
  })

  test('the same vote many times at once counts once', async () => {
    const { app, db } = forum
    const question = await aQuestion(db)
    const browser = await signedIn(app, await aPerson(db))
    const token = await browser.token()
    const path = `/questions/${question.id}/votes`
    await Promise.all(Array.from({ length: 30 }, () => browser.post(path, { value: 1 }, { token })))
    assert.equal(await votesOf(forum, 'questions', question.id), 1)
    await Promise.all(Array.from({ length: 30 }, () => browser.post(path, { value: 0 }, { token })))
    assert.equal(await votesOf(forum, 'questions', question.id), 0)
  })
})
