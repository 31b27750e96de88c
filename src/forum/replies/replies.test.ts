import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { act, refusalOf } from '../../testing/act.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { anAnswer, aPerson, aReply } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { elementIn, textOf, valueIn } from '../../testing/page.ts'
import { deleteAnswer } from '../../testing/posts.ts'
import { within } from '../../testing/within.ts'
import { questionPath } from '../../web/paths.ts'
import { replyToAnswer } from './operations.ts'

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

  test('it has 1 to 5,000 characters', async () => {
    for (const [body, wrong] of [
      ['', 'posts.body.short'],
      ['\u2003', 'posts.body.short'],
      ['가'.repeat(5001), 'posts.body.long'],
      ['x\u0001', 'forms.forbidden'],
      ['😀'.repeat(5000), ''],
    ] as const) {
      const read = await replyToAnswer.read({ body })
      assert.equal(read.ok ? '' : read.errors.map(({ message }) => message.key).join(), wrong)
    }
  })

  test('a refused one is there again, in its own form, which is open', async () => {
    const { answer, paths, asker } = await anExchange()
    for (const [path, id] of [
      [paths.answer, `reply-answer-${answer.id}`],
      [paths.question, 'reply-question'],
    ] as const) {
      const body = '가'.repeat(5001)
      const refused = await asker.post(path, { body })
      assert.equal(refused.statusCode, 422)
      assert.match(refused.body, new RegExp(`class="error-summary"[\\s\\S]*href="#${id}"`))
      const form = new RegExp(
        `<details class="reply-details"[^>]* open>[\\s\\S]*?action="${path}"[\\s\\S]*?</form>`,
      ).exec(refused.body)
      assert.equal(valueIn(form?.[0] ?? '', 'body'), body)
      assert.equal(refused.body.match(/reply-details"[^>]* open/g)?.length, 1)
    }
  })

  test('of the asker can resolve the question, in one act; of nobody else', async () => {
    const { answer, question, paths, asker } = await anExchange()
    const status = async () => {
      const query = forum.db.selectFrom('questions').select('status').where('id', '=', question.id)
      return (await query.executeTakeFirstOrThrow()).status
    }
    const button = /<button[^>]* name="resolve" value="1">/
    const someone = await aPerson(forum.db)
    const pageOf = async (browser: typeof asker) => (await browser.get(questionPath(question))).body
    assert.doesNotMatch(await pageOf(await signedIn(forum.app, someone)), button)
    const mine = { actor: someone, key: answer.id, input: { body: 'Mine too', resolve: '1' } }
    assert.equal(await refusalOf(forum, replyToAnswer, mine), 'forbidden')
    assert.match(await pageOf(asker), button)
    const own = { actor: { id: question.authorId }, key: answer.id }
    await act(forum, replyToAnswer, { ...own, input: { body: 'Not yet' } })
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
    const { answer, question } = await anExchange()
    const past = { active_at: new Date('2026-01-01') }
    await db.updateTable('questions').set(past).where('id', '=', question.id).execute()
    const actor = await aPerson(db)
    await act(forum, replyToAnswer, { actor, key: answer.id, input: { body: 'Which one?' } })
    const row = await db
      .selectFrom('questions')
      .innerJoin('course_members', 'course_members.course_id', 'questions.course_id')
      .select(['active_at', 'role'])
      .where('questions.id', '=', question.id)
      .where('person_id', '=', actor.id)
      .executeTakeFirstOrThrow()
    assert.ok(row.active_at > new Date('2026-06-01'))
    assert.equal(row.role, 'learner')
  })

  test('with its answer gone, a reply is gone too', async () => {
    const { app, db } = forum
    const answer = await anAnswer(db)
    const reply = await aReply(db, { answer, body: 'about the answer' })
    const author = await signedIn(app, reply.authorId)
    await within(db, deleteAnswer, answer.question.id, answer.id)
    const page = await visitor(app).get(questionPath(answer.question))
    assert.doesNotMatch(page.body, /about the answer/)
    assert.equal((await author.get(`/replies/${reply.id}/edit`)).statusCode, 410)
  })
})
