import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { visitor } from '../../testing/browser.ts'
import { anAnswer, aQuestion } from '../../testing/builders.ts'
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
    const wrong = ['', '/', '/wrong', '/what', '/What-Is-%ED%95%98', '/%00', '/).', '/what/is', '//what']
    const broken = ['/feed.atom/x', '/%', '/what-%EC%A', '/%ff', '/%ED%A0%80', '/wrong%ZZ/a']
    for (const asked of [...wrong, ...broken]) {
      const answer = await visitor(app).get(`/questions/${question.id}${asked}`)
      assert.deepEqual([answer.statusCode, answer.headers.location], [301, path], asked)
    }
    const withQuery = await visitor(app).get(`/questions/${question.id}?answers=oldest`)
    assert.equal(withQuery.headers.location, `${path}?answers=oldest`)
  })

  test('a question titled like the address of its edit form can be read by everybody', async () => {
    const question = await aQuestion(forum.db, { title: 'Edit!' })
    const { body } = await visitor(forum.app).get(questionPath(question))
    assert.match(textOf(body), /Edit!/)
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
})
