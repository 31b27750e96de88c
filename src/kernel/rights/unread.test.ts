import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Audience } from '../../database/schema.ts'
import { testApp } from '../../testing/app.ts'
import { type Browser, signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, aReply } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { routesOf } from '../../testing/routes-of.ts'
import { recordReads } from '../../testing/statements.ts'
import { claimsOf, type PostClaim } from './routes-testing.ts'

const NOWHERE = 999_999_999
/** Written in the private course, and nowhere else. */
const WORD = 'zyxunread'

const KEPT = {
  'of a private course': { isPublic: false },
  'under a private question': { audience: 'staff' },
} as const

for (const [where, kept] of Object.entries(KEPT))
  test(`a post ${where} is refused by the statements that a missing one is, and none of its words is read`, (t) =>
    assertUnread(t, kept))

async function assertUnread(
  t: TestContext,
  kept: { isPublic?: boolean; audience?: Audience },
): Promise<void> {
  const db = await testDatabase(t)
  const app = await testApp(t, db)
  const course = await aCourse(db, { isPublic: kept.isPublic ?? true })
  const author = await aMember(db, course)
  const audience = kept.audience ?? 'course'
  const question = await aQuestion(db, { course, author, audience, body: WORD, tags: [WORD] })
  const answer = await anAnswer(db, { question, author, body: WORD })
  const reply = await aReply(db, { answer, author, body: WORD })
  const ids = { question: question.id, answer: answer.id, reply: reply.id }
  const readers = [visitor(app), await signedIn(app, await aPerson(db))]
  if (kept.audience === 'staff') readers.push(await signedIn(app, await aMember(db, course)))
  const routes = routesOf(app)
    .filter(({ method }) => method !== 'HEAD')
    .flatMap(({ method, path }) => postClaimsOf(method, path).map((claim) => ({ method, path, claim })))
  assert.ok(routes.length > 20)
  const reads = recordReads(t)

  for (const reader of readers) {
    const token = await reader.token()
    for (const { method, path, claim } of routes) {
      const statementsOf = async (id: number) => {
        reads.statements.length = 0
        reads.rows.length = 0
        await send(reader, method, path.replace(':id', String(id)), claim, token)
        return [...reads.statements]
      }
      const missing = await statementsOf(NOWHERE)
      assert.deepEqual(await statementsOf(ids[claim.of]), missing, `${method} ${path}`)
      assert.deepEqual(
        reads.rows.filter((rows) => rows.includes(WORD)),
        [],
        `${method} ${path}`,
      )
    }
  }
}

function postClaimsOf(method: string, path: string): PostClaim[] {
  const claims = claimsOf(`${method} ${path}`) ?? []
  return claims.filter((claim) => 'of' in claim && claim.of !== 'course' && claim.of !== 'person')
}

async function send(reader: Browser, method: string, path: string, { fields }: PostClaim, token: string) {
  if (method === 'POST') await reader.post(path, fields ?? {}, { token })
  else await reader.get(path)
}
