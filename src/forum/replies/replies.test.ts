import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { act, refusalOf } from '../../testing/act.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { anAnswer, aPerson, aReply } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { elementIn, textOf, valueIn } from '../../testing/page.ts'
import { deleteAnswer } from '../../testing/posts.ts'
import { rowOf, setRows } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { questionPath } from '../../web/paths.ts'
import { postAnswer } from '../answers/operations.ts'
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

  test('it has 1 to 5,000 characters, an answer 1 to 30,000', async () => {
    const limits = [
      [replyToAnswer, 5000],
      [postAnswer, 30_000],
    ] as const
    for (const [operation, most] of limits)
      for (const [body, wrong] of [
        ['\u2003', 'posts.body.short'],
        ['가'.repeat(most + 1), 'posts.body.long'],
        ['x\u0001', 'forms.forbidden'],
        ['😀'.repeat(most), ''],
      ] as const) {
        const read = await operation.read({ body })
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
    const status = async () => (await rowOf(forum.db, 'questions', question.id)).status
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
    assert.deepEqual([sent.statusCode, sent.body], [204, ''])
    assert.match(String(sent.headers.location), /#reply-\d+$/)
    assert.match(textOf((await asker.follow(sent)).body), /Reply posted/)
    const refused = await asker.post(paths.answer, { body: '' }, { headers: { prefer: 'return=minimal' } })
    assert.equal(refused.statusCode, 422)
  })

  test('it makes the question active again, and its author a learner', async () => {
    const { db } = forum
    const { answer, question } = await anExchange()
    await setRows(db, 'questions', question.id, { active_at: new Date('2026-01-01') })
    const actor = await aPerson(db)
    await act(forum, replyToAnswer, { actor, key: answer.id, input: { body: 'Which one?' } })
    assert.ok((await rowOf(db, 'questions', question.id)).active_at > new Date('2026-06-01'))
    const member = { person_id: actor.id, course_id: question.courseId }
    assert.equal((await rowOf(db, 'course_members', member)).role, 'learner')
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
