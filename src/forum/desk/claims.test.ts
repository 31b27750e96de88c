import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { sweepTable } from '../../database/terms.ts'
import type { Browser } from '../../testing/browser.ts'
import { anAnswer, aReply } from '../../testing/builders.ts'
import { rowsOf, setRows } from '../../testing/rows.ts'
import { answerOnDesk } from './answer.ts'
import { claimQuestion, deskClaims } from './claims.ts'
import { aDesk, forumOfDesk } from './testing.ts'

suite('who is about to answer, and what was posted meanwhile', () => {
  const forum = forumOfDesk()

  async function aQuestionOnDesk() {
    const desk = await aDesk(forum)
    const question = await desk.asks(1, 'What is idempotent?')
    const claim = (by: Browser, value = 1) => by.post(`/questions/${question.id}/claim`, { value })
    return { ...desk, question, path: `${desk.path}?question=${question.id}`, claim }
  }

  test('is seen by colleagues alone, the first one counts, and it ends by leaving, posting or itself', async () => {
    const { browser, other, staff, colleague, path, claim, does, question } = await aQuestionOnDesk()
    const shows = async (by: Browser, name: string) =>
      (await by.get(path)).body.includes(`${name} is answering this question`)
    assert.equal((await claim(browser)).statusCode, 303)
    assert.equal(await shows(other, staff.displayName), true)
    assert.equal(await shows(browser, staff.displayName), false, 'not by oneself')
    await claim(other)
    assert.equal(await shows(browser, colleague.displayName), false, 'the first one lasts')
    await claim(other, 0)
    assert.equal(await shows(other, staff.displayName), true, 'nobody ends that of another')
    await claim(browser, 0)
    assert.equal(await shows(other, staff.displayName), false)

    await claim(browser)
    await does(answerOnDesk, question, { act: 'stay', body: 'It changes nothing twice.' })
    assert.equal(await shows(other, staff.displayName), false, 'posting ends it')

    await claim(browser)
    const late = sql`now() - interval '1 second'`
    await setRows(forum.db, 'desk_claims', { person_id: staff.id }, { claimed_until: late })
    assert.equal(await shows(other, staff.displayName), false)
    await claim(other)
    assert.equal(await shows(browser, colleague.displayName), true, 'an ended one can be taken')
    await sweepTable(forum.db, deskClaims)
    assert.equal(await shows(browser, colleague.displayName), true, 'a sweep leaves what lasts')
  })

  test('leads no one on to it', async () => {
    const { asks, browser, colleague, path } = await aQuestionOnDesk()
    const [second, third] = [await asks(0.5), await asks(0.2)]
    await claimQuestion(forum.db, second.id, colleague.id)
    const { body } = await browser.get(path)
    assert.match(body, new RegExp(`name="back" value="[^"]*next=${third.id}`))
  })

  test('a form that has not seen the newest post of somebody else asks once, and loses nothing', async () => {
    const { db } = forum
    const { browser, question, path, staff, colleague } = await aQuestionOnDesk()
    const seenIn = (body: string) =>
      /name="seen" value="(\d+\.\d+)"/.exec(body)?.[1] ?? assert.fail('no seen')
    const send = (seen: string, body: string) =>
      browser.post(`/questions/${question.id}/desk`, { act: 'resolve', body, seen })
    const before = seenIn((await browser.get(path)).body)
    await anAnswer(db, { question, author: staff, body: 'One’s own is no news.' })
    await anAnswer(db, { question, author: colleague, body: 'Twice is *once*.' })
    const asked = await send(before, 'It changes nothing twice.')
    assert.equal(asked.statusCode, 409)
    assert.match(asked.body, new RegExp(`newer answer\\.</b> ${colleague.displayName}: “Twice is once\\.”`))
    assert.match(asked.body, /It changes nothing twice\./)
    assert.match(asked.body, /name="act" value="resolve">Post anyway/)
    assert.equal((await rowsOf(db, 'answers', { question_id: question.id })).length, 2)
    await aReply(db, { question, author: { id: question.authorId }, body: 'Thanks, solved.' })
    const again = await send(seenIn(asked.body), 'It changes nothing twice.')
    assert.equal(again.statusCode, 409)
    assert.match(again.body, /newer reply/)
    assert.equal((await send(seenIn(again.body), 'It changes nothing twice.')).statusCode, 303)
    const answers = await rowsOf(db, 'answers', { question_id: question.id })
    assert.equal(answers.at(-1)?.body, 'It changes nothing twice.')
    assert.equal((await send('x', 'Without it nothing is compared.')).statusCode, 303)
  })
})
