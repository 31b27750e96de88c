import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { recount } from '../../database/recount.ts'
import { refusalOf, refuses } from '../../testing/act.ts'
import { signedIn } from '../../testing/browser.ts'
import { anAnswer, aPerson, aQuestion, aReply } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { elementIn, textOf, valueIn } from '../../testing/page.ts'
import { deleteAnswer, restoreAnswer } from '../../testing/posts.ts'
import { within } from '../../testing/within.ts'
import { questionPath } from '../../web/paths.ts'
import { REMOVALS } from '../posts/removal.ts'
import { postAnswer } from './operations.ts'

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
    const kept = await db
      .selectFrom('courses')
      .innerJoin('course_members', 'course_id', 'courses.id')
      .select(['unanswered_count', 'role'])
      .where('person_id', '=', person.id)
      .execute()
    assert.deepEqual(kept, [{ unanswered_count: 0, role: 'learner' }])
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

  test('a body has 1 to 30,000 characters', async () => {
    const by = { actor: await aPerson(forum.db), key: (await aQuestion(forum.db)).id }
    const short = ['', ' \r\n ', '\u200b'].map((body) => [{ body }, 'body: posts.body.short'] as const)
    await refuses(forum, postAnswer, by, [
      ...short,
      [{ body: 'a\u0000b' }, 'body: forms.forbidden'],
      [{ body: '😀'.repeat(30_001) }, 'body: posts.body.long'],
      [{ body: ['one', 'two'] }, 'body: forms.repeated'],
      [{ body: '한'.repeat(30_000) }, 'done'],
    ])
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
    const form = refused.body.slice(refused.body.indexOf('answer-form'))
    assert.equal(valueIn(form, 'body'), 'x'.repeat(30_001))
    assert.match(form, /class="error-summary"[\s\S]*href="#answer"/)
    const other = await signedIn(app, await aPerson(db))
    assert.equal(folded((await other.post(path, { body: '' })).body), undefined)
  })

  test('answers and deletions at once leave right counts', async () => {
    const { db } = forum
    const actor = await aPerson(db, { isAdmin: true })
    // Which of them come first is chance: all old answers gone before the first new one is a case of its own.
    for (let round = 0; round < 12; round += 1) {
      const question = await aQuestion(db)
      const old = await Promise.all(Array.from({ length: 5 }, () => anAnswer(db, { question })))
      const acts = old.flatMap(({ id: key }, index) => [
        ...[1, 2].map(() => refusalOf(forum, REMOVALS.answers.deletion, { actor, key })),
        refusalOf(forum, postAnswer, { actor, key: question.id, input: { body: `new ${index}` } }),
      ])
      const outcomes = (await Promise.all(acts)).toSorted()
      assert.deepEqual(outcomes, [...Array(10).fill('done'), ...Array(5).fill('gone')])
    }
    assert.deepEqual(await recount(db), [])
  })
})
