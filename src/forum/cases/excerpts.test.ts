import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion } from '../../testing/builders.ts'
import { rowOf } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { moderationPath } from '../../web/paths.ts'
import { redactCase } from './retention.ts'
import { forumOfCases } from './scene-testing.ts'
import { caseOf, reported } from './testing.ts'

suite('the excerpt of a reported text', () => {
  const forum = forumOfCases()

  test('is plain text, kept with its case and shown in the queue; it goes with a redaction', async () => {
    const { app, db } = forum
    const course = await aCourse(db)
    const instructor = await aMember(db, course, 'instructor')
    const body = `A **rude** word with \`code\`. ${'And so on, for very long. '.repeat(20)}`
    const answer = await anAnswer(db, { question: await aQuestion(db, { course }), body })
    const subject = { about: 'answer', id: answer.id } as const
    await reported(db, subject, (await aPerson(db)).id)
    const { id } = await caseOf(db, subject)
    const excerpt = async () => (await rowOf(db, 'case_snapshots', { case_id: id })).excerpt
    const kept = (await excerpt()) ?? ''
    assert.match(kept, /^A rude word with code\. And so on.*…$/)
    assert.ok([...kept].length <= 240)
    const queue = await (await signedIn(app, instructor)).get(moderationPath(course.slug))
    assert.match(queue.body, />A rude word with code\. And so on/)
    await within(db, redactCase, instructor.id, id, 'asked')
    assert.equal(await excerpt(), null)
  })
})
