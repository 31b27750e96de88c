import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { AGENT_SCOPES } from '../../accounts/apps/agent-access.ts'
import { agentsOn, anAppToken } from '../../accounts/apps/testing.ts'
import { aCourseToken, aToken } from '../../accounts/tokens/testing.ts'
import { addressesIn, aField, hide, plantAll } from '../../kernel/rights/canaries-testing.ts'
import { type Addressed, SUBJECT } from '../../kernel/rights/secrets-testing.ts'
import { testApp } from '../../testing/app.ts'
import { aMember, aPerson } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { setRows } from '../../testing/rows.ts'
import { anAgent, callsAbout } from './testing.ts'

test('no agent is told a word of a private question, of a held or hidden post, or a name behind an anonymous post, whoever it acts for', async (t) => {
  const db = await testDatabase(t)
  const app = await testApp(t, db)
  await agentsOn(db)
  const field = await aField(db)
  await setRows(db, 'courses', field.course.id, { agents: 'readers' })
  const { cases: _, ...planted } = await plantAll(field)
  const words = Object.values(planted).flat()
  assert.ok(words.length > 40, `${words.length} words`)
  const addressed = await addressesIn(field)
  const found = (token: string | null) => wordsTold(app, token, addressed, words)

  // While all of it is open it is there to be found.
  assert.ok((await found(null)).length >= 5)
  await hide(field)
  const tokens: Record<string, string | null> = {
    visitor: null,
    course: await aCourseToken({ db }, field.course),
  }
  const { asker, staff, former, classmate, hiddenAuthor } = field
  const people = {
    asker,
    staff,
    former,
    classmate,
    hiddenAuthor,
    admin: await aPerson(db, { isAdmin: true }),
  }
  for (const [name, person] of Object.entries(people)) {
    tokens[name] = await aToken({ db }, person, ['read', 'write', 'staff'])
    tokens[`${name}, there`] = await aToken({ db }, person, ['read', 'write', 'staff'], field.course.id)
  }
  const letIn = {
    admin: await aPerson(db, { isAdmin: true }),
    staff: await aMember(db, field.course, 'assistant'),
  }
  for (const [name, person] of Object.entries(letIn))
    tokens[`an app of ${name}`] = (await anAppToken(db, person, { scopes: AGENT_SCOPES })).access
  const leaks: string[] = []
  for (const [name, token] of Object.entries(tokens)) {
    const told = await found(token)
    if (told.length > 0) leaks.push(`${name}: ${told.join(', ')}`)
  }
  assert.deepEqual(leaks, [])
})

const QUERIES = [SUBJECT, 'zyxquark', 'by:zyxquarkhidden', 'tag:zyxquarkkepttag', 'is:unresolved http']

/** The words that the answers to all calls tell, beside those that were asked with. */
async function wordsTold(
  app: FastifyInstance,
  token: string | null,
  addressed: Addressed,
  words: readonly string[],
): Promise<string[]> {
  const told = new Set<string>()
  for (const [name, given] of callsAbout(addressed, QUERIES)) {
    const { status, body } = await anAgent(app, { token, remoteAddress: aNetwork() }).call(name, given)
    assert.ok(status < 500 && status !== 429, `${name} ${JSON.stringify(given)}: ${status}`)
    const asked = JSON.stringify(given)
    for (const word of words) if (body.includes(word) && !asked.includes(word)) told.add(word)
  }
  return [...told].sort()
}

let networks = 0
/** Each call from another one. What is counted for an account is not reached here. */
function aNetwork(): string {
  networks += 1
  return `10.3.${(networks >> 8) & 255}.${networks & 255}`
}
