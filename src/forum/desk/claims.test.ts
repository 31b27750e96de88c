import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { sweepTable } from '../../database/terms.ts'
import { signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, aReply } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { deskClaims } from './claims.ts'

suite('who is about to answer, and what was posted meanwhile', () => {
  const forum = sharedForum()

  async function aDesk() {
    const { app, db } = forum
    const course = await aCourse(db)
    const [staff, colleague] = [
      await aMember(db, course, 'assistant'),
      await aMember(db, course, 'instructor'),
    ]
    const question = await aQuestion(db, { course, title: 'What is idempotent?' })
    const path = `/courses/${course.slug}/desk?question=${question.id}`
    const [browser, other] = [await signedIn(app, staff), await signedIn(app, colleague)]
    const claim = (by: typeof browser, value = 1) => by.post(`/questions/${question.id}/claim`, { value })
    const note = (name: string) => `${name} is answering this question`
    return { course, staff, colleague, question, path, browser, other, claim, note }
  }

  const answersOf = async ({ id }: { id: number }) =>
    (
      await forum.db
        .selectFrom('answers')
        .select('body')
        .where('question_id', '=', id)
        .orderBy('id')
        .execute()
    ).map(({ body }) => body)

  test('is seen by colleagues alone, the first one counts, and it ends by leaving, posting or itself', async () => {
    const { browser, other, staff, colleague, path, claim, note, question } = await aDesk()
    const shows = async (by: typeof browser, name: string) => (await by.get(path)).body.includes(note(name))
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
    await browser.post(`/questions/${question.id}/desk`, { act: 'stay', body: 'It changes nothing twice.' })
    assert.equal(await shows(other, staff.displayName), false, 'posting ends it')

    await claim(browser)
    const late = sql<Date>`now() - interval '1 second'`
    await forum.db
      .updateTable('desk_claims')
      .set({ claimed_until: late })
      .where('person_id', '=', staff.id)
      .execute()
    assert.equal(await shows(other, staff.displayName), false)
    await claim(other)
    assert.equal(await shows(browser, colleague.displayName), true, 'an ended one can be taken')
    await sweepTable(forum.db, deskClaims)
    assert.equal(await shows(browser, colleague.displayName), true, 'a sweep leaves what lasts')
  })

  test('is no learner’s, and no one is led on to it', async () => {
    const { app, db } = forum
    const { course, browser, other, question, path } = await aDesk()
    const learner = await signedIn(app, await aPerson(db))
    assert.equal((await learner.post(`/questions/${question.id}/claim`, { value: 1 })).statusCode, 403)
    const [second, third] = [await aQuestion(db, { course }), await aQuestion(db, { course })]
    await other.post(`/questions/${second.id}/claim`, { value: 1 })
    const { body } = await browser.get(path)
    assert.match(body, new RegExp(`name="back" value="[^"]*next=${third.id}`))
  })

  test('a form that has not seen the newest post of somebody else asks once, and loses nothing', async () => {
    const { db } = forum
    const { browser, question, path, staff, colleague } = await aDesk()
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
    assert.equal((await answersOf(question)).length, 2)
    await aReply(db, { question, author: { id: question.authorId }, body: 'Thanks, solved.' })
    const again = await send(seenIn(asked.body), 'It changes nothing twice.')
    assert.equal(again.statusCode, 409)
    assert.match(again.body, /newer reply/)
    assert.equal((await send(seenIn(again.body), 'It changes nothing twice.')).statusCode, 303)
    assert.equal((await answersOf(question)).at(-1), 'It changes nothing twice.')
    assert.equal((await send('x', 'Without it nothing is compared.')).statusCode, 303)
  })
})
