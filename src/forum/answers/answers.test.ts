import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { recount } from '../../database/recount.ts'
import { postOnce } from '../../kernel/posted-once.ts'
import { signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, aReply } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { elementIn, textOf, valueIn } from '../../testing/page.ts'
import { deleteAnswer, deleteQuestion, restoreAnswer } from '../../testing/posts.ts'
import { within } from '../../testing/within.ts'
import { questionPath } from '../../web/paths.ts'
import { lockQuestion } from '../posts/lock.ts'

suite('answering', () => {
  const forum = sharedForum()

  test('an answer appears under its fragment, counts, and makes its author belong to the course', async () => {
    const { app, db } = forum
    const question = await aQuestion(db)
    const person = await aPerson(db, { displayName: 'Jun' })
    const browser = await signedIn(app, person)
    const posted = await browser.post(`/questions/${question.id}/answers`, {
      body: 'Because of *caching*.\r\n',
    })
    assert.equal(posted.statusCode, 303)
    const fragment = /#(answer-\d+)$/.exec(String(posted.headers.location))?.[1] ?? ''
    const { body } = await browser.follow(posted)
    assert.match(textOf(body), /Answer posted\..* 1 answer /)
    assert.match(elementIn(body, fragment), /Because of <em>caching<\/em>\./)
    assert.match(textOf(elementIn(body, fragment)), /Jun/)
    const counts = await db
      .selectFrom('courses')
      .select(['unanswered_count'])
      .where('id', '=', question.courseId)
      .executeTakeFirst()
    assert.equal(counts?.unanswered_count, 0)
    const member = await db
      .selectFrom('course_members')
      .select('role')
      .where('person_id', '=', person.id)
      .executeTakeFirst()
    assert.equal(member?.role, 'learner')
    assert.deepEqual(await recount(db), [])
  })

  test('after the server’s clock was put back, posts are still in the order they were written in', async () => {
    const { db } = forum
    const question = await aQuestion(db)
    const first = await anAnswer(db, { question })
    const later = sql<Date>`now() + interval '1 hour'`
    await db.updateTable('answers').set({ written_at: later }).where('id', '=', first.id).execute()
    await db.updateTable('questions').set({ active_at: later }).where('id', '=', question.id).execute()
    const second = await anAnswer(db, { question })
    const reply = await aReply(db, { answer: second })
    const { rows } = await sql<{ isOrdered: boolean }>`
      select one.written_at <= two.written_at and two.written_at <= reply.written_at as "isOrdered"
      from answers one, answers two, replies reply
      where one.id = ${first.id} and two.id = ${second.id} and reply.id = ${reply.id}`.execute(db)
    assert.deepEqual(rows, [{ isOrdered: true }])
  })

  test('an answer makes its question active; one that comes from the past, or back, does not', async () => {
    const { db } = forum
    const question = await aQuestion(db)
    const { id, authorId } = await anAnswer(db, { question })
    const times = () =>
      db
        .selectFrom('questions as q')
        .innerJoin('answers as a', 'a.question_id', 'q.id')
        .select(['q.active_at', 'a.written_at'])
        .where('a.id', '=', id)
        .executeTakeFirstOrThrow()
    const { active_at: active, written_at: written } = await times()
    assert.deepEqual(active, written)
    await within(db, deleteAnswer, question.id, id)
    await within(db, restoreAnswer, question.id, id)
    const old = { question_id: question.id, author_id: authorId, body: 'Old', body_html: '<p>Old</p>' }
    const past = { ...old, renderer_version: 1, written_at: new Date('2020-01-01') }
    await db.insertInto('answers').values(past).execute()
    assert.deepEqual((await times()).active_at, active)
  })

  test('a body has 1 to 30,000 characters; a refused one is there again with its error', async () => {
    const { app, db } = forum
    const question = await aQuestion(db)
    const browser = await signedIn(app, await aPerson(db))
    const path = `/questions/${question.id}/answers`
    assert.equal((await browser.post(path, { body: '한'.repeat(30_000) })).statusCode, 303)
    for (const body of ['', ' \r\n ', '\u200b', 'a\u0000b', '😀'.repeat(30_001)]) {
      const refused = await browser.post(path, { body })
      assert.equal(refused.statusCode, 422)
      const form = refused.body.slice(refused.body.indexOf('answer-form'))
      assert.equal(valueIn(form, 'body'), body.replaceAll('\r\n', '\n').replaceAll('\n', '\r\n'))
      assert.match(form, /class="error-summary"[\s\S]*href="#answer"/)
    }
    assert.equal((await browser.post(path, { body: ['one', 'two'] })).statusCode, 422)
  })

  test('the form is folded on the page of who asked, and open with text that was refused', async () => {
    const { app, db } = forum
    const question = await aQuestion(db)
    const path = `/questions/${question.id}/answers`
    const asker = await signedIn(app, { id: question.authorId })
    const folded = (page: string) => /<details class="own-answer"[^>]*>/.exec(page)?.[0]
    const page = await asker.get(questionPath(question))
    assert.doesNotMatch(folded(page.body) ?? 'none', /none| open/)
    const refused = await asker.post(path, { body: 'x'.repeat(30_001) })
    assert.match(folded(refused.body) ?? '', / open>$/)
    const other = await signedIn(app, await aPerson(db))
    assert.equal(folded((await other.post(path, { body: '' })).body), undefined)
  })

  test('a question that is gone, hidden or unknown takes no answer', async () => {
    const { app, db } = forum
    const [gone, hidden] = [
      await aQuestion(db),
      await aQuestion(db, { course: await aCourse(db, { isPublic: false }) }),
    ]
    await within(db, deleteQuestion, gone.id)
    const browser = await signedIn(app, await aPerson(db))
    const post = async (id: number | string) => {
      const answer = await browser.post(`/questions/${id}/answers`, { body: 'still mine' })
      if (answer.statusCode !== 303) assert.match(textOf(answer.body), /still mine/)
      return answer.statusCode
    }
    assert.deepEqual(
      [await post(gone.id), await post(hidden.id), await post(999_999), await post('x')],
      [410, 404, 404, 404],
    )
  })

  test('a form sent many times at once is one answer, and all of them lead to it', async () => {
    const { app, db } = forum
    const question = await aQuestion(db)
    const browser = await signedIn(app, await aPerson(db))
    const path = `/questions/${question.id}/answers`
    const token = await browser.token()
    const sent = Array.from({ length: 20 }, () => browser.post(path, { body: 'Once.' }, { token }))
    const answers = await Promise.all(sent)
    const places = new Set(answers.map((answer) => answer.headers.location))
    assert.equal(places.size, 1)
    assert.match(String([...places][0]), /#answer-\d+$/)
    const again = await browser.post(path, { body: 'Once.' }, { token })
    assert.equal(again.headers.location, [...places][0])
    assert.deepEqual(await recount(db), [])
  })

  test('a refused answer leaves nothing behind', async () => {
    const { db } = forum
    const question = await aQuestion(db)
    const author = await aPerson(db)
    await within(db, deleteQuestion, question.id)
    const once = { key: randomBytes(32), personId: author.id }
    const post = db
      .transaction()
      .execute((write) =>
        postOnce(write, once, async () => ({ outcome: await lockQuestion(write, question.id), path: '/' })),
      )
    await assert.rejects(post, { key: 'gone' })
    const left = await db.selectFrom('posted_once').select('key').where('key', '=', once.key).execute()
    assert.deepEqual(left, [])
    assert.deepEqual(await recount(db), [])
  })

  test('deleting takes it out of every count; under a deleted question, too', async () => {
    const { app, db } = forum
    const course = await aCourse(db)
    const question = await aQuestion(db, { course, answers: 1 })
    const answer = await anAnswer(db, { question })
    const late = await anAnswer(db, { question })
    const staff = await signedIn(app, await aMember(db, course, 'instructor'))
    const deleted = await staff.post(`/answers/${answer.id}/delete`)
    assert.match(textOf((await staff.follow(deleted)).body), /Answer deleted\..* 2 answers /)
    await within(db, deleteQuestion, question.id)
    assert.equal((await staff.post(`/answers/${late.id}/delete`)).statusCode, 303)
    assert.deepEqual(await recount(db), [])
  })

  test('answers and deletions at once leave right counts', async () => {
    const { app, db } = forum
    // Which of them come first is chance: all old answers gone before the first new one is a case of its own.
    for (let round = 0; round < 12; round += 1) {
      const question = await aQuestion(db)
      const old = await Promise.all(Array.from({ length: 5 }, () => anAnswer(db, { question })))
      const author = await signedIn(app, await aPerson(db, { isAdmin: true }))
      const token = await author.token()
      const acts = old.flatMap((answer, index) => [
        author.post(`/answers/${answer.id}/delete`, {}, { token }),
        author.post(`/answers/${answer.id}/delete`, {}, { token }),
        author.post(`/questions/${question.id}/answers`, { body: `new ${index}` }, { token }),
      ])
      const statuses = (await Promise.all(acts)).map((answer) => answer.statusCode)
      assert.equal(statuses.filter((status) => status === 303).length, 10)
      assert.equal(statuses.filter((status) => status === 410).length, 5)
    }
    assert.deepEqual(await recount(db), [])
  })
})
