import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { moderationPath } from '../../web/paths.ts'
import { redactCase } from './retention.ts'
import { caseOf, reported } from './testing.ts'

suite('the excerpt of a reported text', () => {
  const forum = sharedForum()

  async function aReported() {
    const { app, db } = forum
    const course = await aCourse(db)
    const instructor = await signedIn(app, await aMember(db, course, 'instructor'))
    const body = `A **rude** word with \`code\`. ${'And so on, for very long. '.repeat(20)}`
    const answer = await anAnswer(db, { question: await aQuestion(db, { course }), body })
    const subject = { about: 'answer', id: answer.id } as const
    await reported(db, subject, (await aPerson(db)).id)
    const matter = await caseOf(db, subject)
    const excerptOf = async () =>
      (
        await db
          .selectFrom('case_snapshots')
          .select('excerpt')
          .where('case_id', '=', matter.id)
          .executeTakeFirstOrThrow()
      ).excerpt
    return {
      db,
      matter,
      excerptOf,
      queue: async () => (await instructor.get(moderationPath(course.slug))).body,
    }
  }

  test('is plain text, kept with its case and shown in the queue', async () => {
    const { excerptOf, queue } = await aReported()
    const kept = await excerptOf()
    assert.match(kept ?? '', /^A rude word with code\. And so on/)
    assert.ok([...(kept ?? '')].length <= 240 && kept?.endsWith('…') === true)
    assert.match(await queue(), />A rude word with code\. And so on/)
  })

  test('goes with a redaction', async () => {
    const { db, matter, excerptOf } = await aReported()
    const actor = await aPerson(db)
    await db.transaction().execute((write) => redactCase(write, actor.id, matter.id, 'asked'))
    assert.equal(await excerptOf(), null)
  })
})
