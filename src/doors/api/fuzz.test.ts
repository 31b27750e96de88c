import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { aToken } from '../../accounts/tokens/testing.ts'
import { caseOf, reported } from '../../forum/cases/testing.ts'
import { aCourse, aMember, anAnswer, aQuestion, aReply } from '../../testing/builders.ts'
import { aForum } from '../../testing/forum.ts'
import { holds } from '../../testing/properties.ts'
import { ENDPOINTS } from './endpoints.ts'
import { aProgram } from './testing.ts'

/** Values that fields and parameters of no kind expect, and some that they do. */
const value = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom(
    '',
    '1',
    'me',
    '0',
    '한글 제목입니다',
    '\u1112\u1161\u11ab',
    '2026-12-01',
    'x'.repeat(31_000),
    'newest',
    '\0',
  ),
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  fc.array(fc.string({ maxLength: 10 }), { maxLength: 7 }),
  fc.dictionary(fc.string({ maxLength: 5 }), fc.integer(), { maxKeys: 3 }),
)
const accepts = fc.constantFrom('*/*', 'application/hal+json', 'application/prs.hal-forms+json')
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.constantFrom(
    'answers',
    'replies',
    'answers,replies',
    '1',
    '-1',
    '100',
    '101',
    'newest',
    '999999999999999999',
    '한글',
  ),
)

test('whatever is sent to an endpoint, the answer is one that the document has', async (t) => {
  const { app, db } = await aForum(t)
  app.apiRequests.count = () => ({ count: 1, ttl: 1000 })
  const course = await aCourse(db, { lectures: ['One'] })
  const foreign = await aCourse(db, { isPublic: false })
  const staff = await aMember(db, course, 'instructor')
  const program = aProgram(app, await aToken({ db }, staff, ['read', 'write', 'staff']))
  const question = await aQuestion(db, { course })
  const kept = await aQuestion(db, { course: foreign })
  const answer = await anAnswer(db, { question })
  const reply = await aReply(db, { answer })
  const subject = { about: 'reply', id: reply.id } as const
  await reported(db, subject, null)
  const { id: cases } = await caseOf(db, subject)
  const ids = { answers: answer.id, replies: reply.id, people: staff.id, questions: question.id, cases }
  for (const { method, path, query, body } of ENDPOINTS) {
    const kind = /^\/(answers|replies|people|cases)\//.exec(path)?.[1] as keyof typeof ids | undefined
    const place = fc.constantFrom(String(ids[kind ?? 'questions']), String(kept.id), '0', 'x', '99999999999')
    const slug = fc.constantFrom(course.slug, foreign.slug, 'no-such', encodeURIComponent('한글'))
    const names = [...Object.keys(query?.shape ?? {}), 'other']
    const fields = [...Object.keys(body?.fields ?? {}), '__proto__', 'version']
    await t.test(`${method} ${path}`, async () => {
      await holds(
        fc.asyncProperty(
          place,
          slug,
          fc.dictionary(fc.constantFrom(...names), text, { maxKeys: 4 }),
          fc.oneof(fc.dictionary(fc.constantFrom(...fields), value, { maxKeys: 6 }), value),
          accepts,
          async (id, courseSlug, asked, sent, accept) => {
            const url = path.replace(':id', id).replace(':course', courseSlug)
            const search = new URLSearchParams(asked).toString()
            const answered = await program.send(
              method,
              search === '' ? url : `${url}?${search}`,
              method === 'GET' || sent === undefined ? undefined : sent,
              { 'if-match': '"1"', accept },
            )
            assert.ok(answered.statusCode < 500)
          },
        ),
        12,
      )
    })
  }
})
