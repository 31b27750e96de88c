import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { elementIn, textOf } from '../../testing/page.ts'
import { deleteQuestion } from '../../testing/posts.ts'
import { within } from '../../testing/within.ts'
import { questionPath } from '../../web/paths.ts'

suite('the address of a question', () => {
  const forum = sharedForum()

  test('a missing or wrong slug leads to the right one for good, and keeps the query', async () => {
    const { app, db } = forum
    const question = await aQuestion(db, { title: 'What is 하이퍼미디어 for?' })
    const path = `/questions/${question.id}/what-is-${encodeURIComponent('하이퍼미디어')}-for`
    assert.equal(questionPath(question), path)
    assert.equal((await visitor(app).get(path)).statusCode, 200)
    const broken = [
      '/what/is',
      '//what',
      '/feed.atom/x',
      '/%',
      '/what-%EC%A',
      '/%ff',
      '/%ED%A0%80',
      '/wrong%ZZ/a',
    ]
    for (const asked of ['', '/', '/wrong', '/what', '/What-Is-%ED%95%98', '/%00', '/).', ...broken]) {
      const answer = await visitor(app).get(`/questions/${question.id}${asked}`)
      assert.deepEqual([answer.statusCode, answer.headers.location], [301, path], asked)
    }
    const withQuery = await visitor(app).get(`/questions/${question.id}?answers=oldest`)
    assert.equal(withQuery.headers.location, `${path}?answers=oldest`)
  })

  test('a question titled like the address of its edit form can be read by everybody', async () => {
    const { app, db } = forum
    const question = await aQuestion(db, { title: 'Edit!' })
    const browser = visitor(app)
    const answer = await browser.follow(await browser.get(`/questions/${question.id}`))
    assert.equal(answer.statusCode, 200)
    assert.match(textOf(answer.body), /Edit!/)
  })

  test('a deleted question is gone, its answers stay readable', async () => {
    const { app, db } = forum
    const question = await aQuestion(db, { title: 'Taken away', body: 'the words of the question' })
    const answer = await anAnswer(db, { question, body: 'an answer worth keeping' })
    await within(db, deleteQuestion, question.id)
    for (const path of [questionPath(question), `/questions/${question.id}`]) {
      const page = await visitor(app).get(path)
      assert.equal(page.statusCode, 410)
      assert.match(textOf(elementIn(page.body, `answer-${answer.id}`)), /an answer worth keeping/)
      assert.doesNotMatch(page.body, /the words of the question|taken.away/i)
    }
  })

  test('a question of a private course is no page for others', async () => {
    const { app, db } = forum
    const course = await aCourse(db, { isPublic: false })
    const question = await aQuestion(db, { course })
    const path = questionPath(question)
    assert.equal((await visitor(app).get(path)).statusCode, 404)
    assert.equal((await (await signedIn(app, await aPerson(db))).get(path)).statusCode, 404)
    assert.equal((await (await signedIn(app, await aMember(db, course))).get(path)).statusCode, 200)
    await within(db, deleteQuestion, question.id)
    assert.equal((await visitor(app).get(path)).statusCode, 404)
  })
})
