import assert from 'node:assert/strict'
import { test } from 'node:test'
import { agentsOn } from '../../accounts/apps/testing.ts'
import { aToken } from '../../accounts/tokens/testing.ts'
import * as differences from '../../kernel/rights/differences-testing.ts'
import { MemoryCounter } from '../../web/limits/limits.ts'
import { anAgent, callsAbout } from './testing.ts'

test('no agent is told whether who is anonymous was seen before: all answers are equal but for times', async (t) => {
  t.mock.method(MemoryCounter.prototype, 'count', () => ({ count: 1, ttl: 1000 }))
  const seenBy = (name: differences.Writer) => differences.everythingSeen(t, name, lookAtAnswers)
  const seen = await seenBy('seen')
  const told = [...seen].filter(
    ([what, answer]) => /^classmate, read_question/.test(what) && /Anonymous/.test(answer),
  )
  assert.ok(told.length > 1)
  assert.deepEqual(differences.differencesBetween(seen, await seenBy('unseen')), [])
})

async function lookAtAnswers({ seen, app, db, readers, addressed }: differences.Looking): Promise<void> {
  await agentsOn(db)
  const tokens: Record<string, string | null> = { visitor: null }
  for (const [reader, person] of Object.entries(readers))
    tokens[reader] = await aToken({ db }, person, ['read', 'write', 'staff'])
  for (const [reader, token] of Object.entries(tokens))
    for (const [name, given] of callsAbout(addressed, ['question', 'http', 'by:Seon', 'by:Una'])) {
      const { status, body } = await anAgent(app, { token }).call(name, given)
      seen.set(`${reader}, ${name} ${JSON.stringify(given)}`, differences.withoutChance(`${status} ${body}`))
    }
}
