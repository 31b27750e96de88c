import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { signedIn, visitor } from '../../testing/browser.ts'
import { anAnswer, aPerson, aReply } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { elementIn, textOf, valueIn } from '../../testing/page.ts'
import { deleteAnswer, deleteQuestion } from '../../testing/posts.ts'
import { within } from '../../testing/within.ts'

suite('replying', () => {
  const forum = sharedForum()
  const anExchange = async () => {
    const answer = await anAnswer(forum.db)
    const { question } = answer
    const paths = { question: `/questions/${question.id}/replies`, answer: `/answers/${answer.id}/replies` }
    return { answer, question, paths, asker: await signedIn(forum.app, question.authorId) }
  }

  test('a reply stands under what it is about, with its fragment and the Asker marker', async () => {
    const { answer, paths, asker } = await anExchange()
    const someone = await signedIn(forum.app, await aPerson(forum.db))
    for (const [path, isUnderAnswer] of [
      [paths.answer, true],
      [paths.question, false],
    ] as const) {
      for (const [browser, isAsker] of [
        [asker, true],
        [someone, false],
      ] as const) {
        const posted = await browser.post(path, { body: 'Thank *you*' })
        assert.equal(posted.statusCode, 303)
        const fragment = /#(reply-\d+)$/.exec(String(posted.headers.location))?.[1] ?? ''
        const { body } = await browser.follow(posted)
        assert.match(textOf(body), /Reply posted\./)
        const reply = elementIn(body, fragment)
        assert.match(reply, /Thank <em>you<\/em>/)
        assert.equal(/Asker/.test(textOf(reply)), isAsker)
        assert.equal(elementIn(body, `answer-${answer.id}`).includes(`id="${fragment}"`), isUnderAnswer)
      }
    }
  })

  test('it has 1 to 5,000 characters; a refused one is there again, in its own form', async () => {
    const { answer, paths, asker } = await anExchange()
    assert.equal((await asker.post(paths.answer, { body: '😀'.repeat(5000) })).statusCode, 303)
    for (const [path, id] of [
      [paths.answer, `reply-answer-${answer.id}`],
      [paths.question, 'reply-question'],
    ] as const) {
      for (const body of ['', '\u2003', '가'.repeat(5001), 'x\u0001']) {
        const refused = await asker.post(path, { body })
        assert.equal(refused.statusCode, 422)
        assert.match(refused.body, new RegExp(`class="error-summary"[\\s\\S]*href="#${id}"`))
        const form = new RegExp(
          `<details class="reply-details"[^>]* open>[\\s\\S]*?action="${path}"[\\s\\S]*?</form>`,
        ).exec(refused.body)
        assert.equal(valueIn(form?.[0] ?? '', 'body'), body)
        assert.equal(refused.body.match(/reply-details"[^>]* open/g)?.length, 1)
      }
    }
  })

  test('of the asker can resolve the question, in one act; of nobody else', async () => {
    const { question, paths, asker } = await anExchange()
    const status = async () =>
      (
        await forum.db
          .selectFrom('questions')
          .select('status')
          .where('id', '=', question.id)
          .executeTakeFirstOrThrow()
      ).status
    const button = /<button[^>]* name="resolve" value="1">/
    const someone = await signedIn(forum.app, await aPerson(forum.db))
    const pageOf = async (browser: typeof asker) =>
      (await browser.follow(await browser.get(`/questions/${question.id}`))).body
    assert.doesNotMatch(await pageOf(someone), button)
    const refused = await someone.post(paths.answer, { body: 'Mine too', resolve: '1' })
    assert.equal(refused.statusCode, 403)
    assert.equal(await status(), 'unresolved')

    assert.match(await pageOf(asker), button)
    await asker.post(paths.answer, { body: 'Not yet' })
    assert.equal(await status(), 'unresolved')
    const { body } = await asker.follow(await asker.post(paths.answer, { body: 'Thank you', resolve: '1' }))
    assert.match(textOf(body), /Reply posted and question marked as resolved\./)
    assert.equal(await status(), 'resolved')
    assert.doesNotMatch(await pageOf(asker), button)
  })

  test('tells a script where it leads, which then opens the page with the message itself', async () => {
    const { paths, asker } = await anExchange()
    const sent = await asker.post(paths.answer, { body: 'Thanks' }, { headers: { prefer: 'return=minimal' } })
    assert.equal(sent.statusCode, 204)
    assert.equal(sent.body, '')
    assert.match(String(sent.headers.location), /#reply-\d+$/)
    assert.match(
      textOf((await asker.get(String(sent.headers.location).split('#')[0] ?? '')).body),
      /Reply posted/,
    )
    const refused = await asker.post(paths.answer, { body: '' }, { headers: { prefer: 'return=minimal' } })
    assert.equal(refused.statusCode, 422)
  })

  test('it makes the question active again, and its author a learner', async () => {
    const { db } = forum
    const { question, paths } = await anExchange()
    await db
      .updateTable('questions')
      .set({ active_at: new Date('2026-01-01') })
      .where('id', '=', question.id)
      .execute()
    const person = await aPerson(db)
    await (await signedIn(forum.app, person)).post(paths.answer, { body: 'Which one?' })
    const row = await db
      .selectFrom('questions')
      .select('active_at')
      .where('id', '=', question.id)
      .executeTakeFirstOrThrow()
    assert.ok(row.active_at > new Date('2026-06-01'))
    const member = await db
      .selectFrom('course_members')
      .select('role')
      .where('person_id', '=', person.id)
      .executeTakeFirst()
    assert.equal(member?.role, 'learner')
  })

  test('what is gone, hidden or unknown takes no reply', async () => {
    const { app, db } = forum
    const { answer, question, paths, asker } = await anExchange()
    await within(db, deleteAnswer, question.id, answer.id)
    assert.equal((await asker.post(paths.answer, { body: 'late' })).statusCode, 410)
    const other = await anAnswer(db, { question })
    await within(db, deleteQuestion, question.id)
    assert.equal((await asker.post(paths.question, { body: 'late' })).statusCode, 410)
    assert.equal((await asker.post(`/answers/${other.id}/replies`, { body: 'late' })).statusCode, 410)
    const hidden = await anAnswer(db)
    await db
      .updateTable('courses')
      .set({ is_public: false })
      .where('id', '=', hidden.question.courseId)
      .execute()
    const stranger = await signedIn(app, await aPerson(db))
    const refused = await stranger.post(`/answers/${hidden.id}/replies`, { body: 'words not lost' })
    assert.equal(refused.statusCode, 404)
    assert.match(textOf(refused.body), /words not lost/)
    assert.equal((await stranger.post('/answers/0/replies', { body: 'x' })).statusCode, 404)
  })

  test('an answer that is deleted or hidden gets no reply', async () => {
    const { app, db } = forum
    const { answer, question } = await anExchange()
    const admin = await signedIn(app, await aPerson(db, { isAdmin: true }))
    const path = `/answers/${answer.id}/replies`
    await db.updateTable('answers').set({ hidden_at: new Date() }).where('id', '=', answer.id).execute()
    assert.equal((await admin.post(path, { body: 'late' })).statusCode, 403)
    await within(db, deleteAnswer, question.id, answer.id)
    assert.equal((await admin.post(path, { body: 'late' })).statusCode, 410)
  })

  test('with its answer gone, a reply is gone too', async () => {
    const { app, db } = forum
    const answer = await anAnswer(db)
    const reply = await aReply(db, { answer, body: 'about the answer' })
    const author = await signedIn(app, reply.authorId)
    await within(db, deleteAnswer, answer.question.id, answer.id)
    const page = await visitor(app).follow(await visitor(app).get(`/questions/${answer.question.id}`))
    assert.doesNotMatch(page.body, /about the answer/)
    assert.equal((await author.get(`/replies/${reply.id}/edit`)).statusCode, 410)
  })
})
