import { recount } from '../../database/recount.ts'
import type { Database } from '../../database/schema.ts'
import { type Claim, none } from './fault.ts'
import type { Sent } from './traffic.ts'
import '../../tables.ts'

/**
 * No acknowledged post is lost, none is duplicated, and counters are right.
 * @param sent answers to questions, among other requests
 */
export async function nothingLost(db: Database, sent: readonly Sent[]): Promise<Claim[]> {
  const rows = await db.selectFrom('answers').select('body').execute()
  const times = new Map<string, number>()
  for (const { body } of rows) times.set(body, (times.get(body) ?? 0) + 1)
  const writes = sent.filter(({ kind }) => kind === 'write')
  const acknowledged = writes.filter(({ status }) => status === 303)
  const lost = acknowledged.filter(({ text }) => !times.has(text))
  const doubled = writes.filter(({ text }) => (times.get(text) ?? 0) > 1)
  return [
    none(
      'acknowledged posts lost',
      lost.map(({ text }) => text),
      acknowledged.length,
    ),
    none(
      'posts stored twice',
      doubled.map(({ text }) => text),
      writes.length,
    ),
    await countersHold(db),
  ]
}

export async function countersHold(db: Database): Promise<Claim> {
  const differences = await recount(db)
  const told = differences.map(({ counter, stored, counted }) => `${counter} is ${stored}, not ${counted}`)
  return none('wrong counters', told)
}
