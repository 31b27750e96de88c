import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { caseOf, reported } from '../forum/cases/testing.ts'
import { signedIn } from '../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion } from '../testing/builders.ts'
import { aHearingForum } from '../testing/forum.ts'
import { recordStatements } from '../testing/statements.ts'
import { personPath, questionPath } from './paths.ts'

test('a page costs somebody signed in few statements, however much is on it', async (t) => {
  const { app, db } = await aHearingForum(t)
  const course = await aCourse(db, { slug: 'rest' })
  await aCourse(db)
  const author = await aPerson(db)
  const options = { course, author }
  const question = await aQuestion(db, { ...options, tags: ['http', 'tag0'] })
  for (let number = 1; number < 25; number += 1)
    await aQuestion(db, { ...options, tags: ['http', `tag${number}`], answers: number % 4 })
  const instructor = await aMember(db, course, 'instructor')
  const subject = { about: 'question', id: question.id } as const
  for (let number = 0; number < 25; number += 1) await reported(db, subject, (await aPerson(db)).id)
  const matter = await caseOf(db, subject)
  const most: Record<string, number> = {
    '/questions': 0,
    '/questions?sort=votes&status=unanswered': 0,
    '/questions?mine=1': 1,
    '/questions?following=1': 1,
    '/courses/rest': 0,
    '/courses': 1,
    [questionPath(question)]: 0,
    '/tags': 0,
    '/tags/http': 0,
    [personPath(author)]: 3,
    '/questions/new?course=rest': 2,
  }
  // The sign-in page costs none, as it is the same for everybody; these are of one person, and new each time.
  const ofStaff: Record<string, number> = { '/courses/rest/moderation': 3, [`/cases/${matter.id}`]: 16 }
  const person = await signedIn(app, await aPerson(db))
  const staff = await signedIn(app, instructor)
  // Sessions, courses and what stands beside lists are known after the first time.
  for (const path of Object.keys(most)) assert.equal((await person.get(path)).statusCode, 200, path)
  for (const path of Object.keys(ofStaff)) assert.equal((await staff.get(path)).statusCode, 200, path)
  await quiet(app)
  for (const path of Object.keys(most)) await person.get(path)
  const statements = recordStatements(t)
  for (const [path, count] of [...Object.entries(most), ...Object.entries(ofStaff)]) {
    statements.length = 0
    await (path in most ? person : staff).get(path)
    assert.ok(statements.length <= count, `${path}: ${statements.length}\n${statements.join('\n\n')}`)
  }
})

test('a write costs few statements, its transaction’s begin and commit among them', async (t) => {
  const { app, db } = await aHearingForum(t)
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
  await quiet(app)
  const statements = recordStatements(t)
  for (const [path, form, most] of writes) {
    statements.length = 0
    assert.equal((await writer.post(path, form)).statusCode, 303)
    assert.ok(statements.length <= most, `${path}: ${statements.length}\n${statements.join('\n\n')}`)
  }
})

/** Jobs look for work at times of their own, which would be counted. */
async function quiet(app: FastifyInstance): Promise<void> {
  await app.views.flush()
  await app.jobs.caughtUp('search', 10_000)
  await app.jobs.stop()
  await app.changes?.caughtUp()
}
