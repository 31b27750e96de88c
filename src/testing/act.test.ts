import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { postAnswer } from '../forum/answers/operations.ts'
import { questionPath } from '../web/paths.ts'
import { act, refusalOf, refuses } from './act.ts'
import { aPerson, aQuestion } from './builders.ts'
import { readForum, sharedForum } from './forum.ts'

suite('an operation without a door', () => {
  const forum = sharedForum()

  test('is done, or refused with what each door would say in its way', async () => {
    const { db } = forum
    const question = await aQuestion(db)
    const by = { actor: await aPerson(db), key: question.id }
    const { id } = await act(forum, postAnswer, { ...by, input: { body: 'Because.' } })
    assert.ok(id > 0)
    await refuses(forum, postAnswer, by, [[{ body: '' }, 'body: posts.body.short']])
    assert.equal(await refusalOf(forum, postAnswer, { ...by, actor: null, input: { body: 'x' } }), 'sign-in')
    assert.equal(await refusalOf(forum, postAnswer, { ...by, key: 0, input: { body: 'x' } }), 'notFound')
  })
})

suite('a forum that is read', () => {
  const forum = readForum(async ({ db, signIn }) => {
    const question = await aQuestion(db)
    return { question, browser: await signIn(await aPerson(db)) }
  })

  test('has pages, and cannot be changed', async () => {
    const { question, browser } = forum.world
    assert.equal((await browser.get(questionPath(question))).statusCode, 200)
    await assert.rejects(aPerson(forum.db), /read-only/)
  })
})
