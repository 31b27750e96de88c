import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signedIn } from '../testing/browser.ts'
import { aCourse, anAnswer, aPerson, aQuestion } from '../testing/builders.ts'
import { aHearingForum } from '../testing/forum.ts'
import { recordStatements } from '../testing/statements.ts'

test('a write costs few statements, its transaction’s begin and commit among them', async (t) => {
  const { app, db, changes } = await aHearingForum(t)
  const course = await aCourse(db, { slug: 'rest' })
  const question = await aQuestion(db, { course })
  const answer = await anAnswer(db, { question })
  const person = await aPerson(db)
  const [first, writer] = [await signedIn(app, person), await signedIn(app, person)]
  const body = 'A text that nobody has read yet.'
  // The first one reads the session, too.
  const writes: readonly (readonly [path: string, form: Record<string, string>, statements: number])[] = [
    [`/questions/${question.id}/answers`, { body }, 18],
    [`/answers/${answer.id}/replies`, { body }, 16],
    [`/answers/${answer.id}/votes`, { value: '1' }, 8],
    ['/questions', { course: course.slug, title: 'Which status code says so?', body, tags: 'http' }, 22],
  ]
  // The first of each: they are a member then, and the course and the tag are known.
  for (const [path, form] of writes) assert.equal((await first.post(path, form)).statusCode, 303)
  await app.views.flush()
  await app.jobs.caughtUp('search', 10_000)
  // Jobs look for work at times of their own, which would be counted as a write's.
  await app.jobs.stop()
  await changes.caughtUp()
  const statements = recordStatements(t)
  for (const [path, form, most] of writes) {
    statements.length = 0
    assert.equal((await writer.post(path, form)).statusCode, 303)
    assert.ok(statements.length <= most, `${path}: ${statements.length}\n${statements.join('\n\n')}`)
  }
})
