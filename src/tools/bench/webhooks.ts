import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { connect } from '../../database/connection.ts'
import { migrate } from '../../database/migrate.ts'
import type { Database } from '../../database/schema.ts'
import { aReceiver, aWebhook, happen, type Received } from '../../forum/webhooks/testing.ts'
import { SECRET } from '../../testing/app.ts'
import { atEnd, type Ending } from '../../testing/at-end.ts'
import { aCourse, aMember, anAnswer, aQuestion } from '../../testing/builders.ts'
import { table } from '../../text/markdown-table.ts'
import { machineSection } from './machine.ts'
import { ended, newDatabase } from './mail/mail.ts'
import { atMost, GOAL_HEAD, goalRow } from './speed/goals.ts'
import { processorTime, startForum } from './speed/processes.ts'

interface WebhookOptions {
  readonly receivers: number
  /** Receivers that never answer. */
  readonly dead: number
  readonly seconds: number
  /** A PostgreSQL server for the forum; null: the embedded one in .data/bench. */
  readonly server: string | null
}

/** Seconds to wait for what is still on its way. */
const LONGEST = 120

/** Deliveries from a forum in a process of its own, each event to all receivers: a section of Markdown. */
export const webhookSection = ended(
  async (end: Ending, options: WebhookOptions, say: (line: string) => void) => {
    const { receivers, dead, seconds } = options
    const url = await newDatabase(end, options.server, 'bench_webhooks')
    const db = connect(url, { connections: 4, statementTimeout: 0 })
    atEnd(end, () => db.destroy())
    await migrate(db)
    const receiver = await aReceiver(end)
    const arrivedAt = new Map<string, number>()
    receiver.answer = (reply, path) => {
      for (const { headers } of receiver.received.splice(0)) noteArrival(arrivedAt, headers)
      if (Number(path.slice('/hook/'.length)) >= dead) reply.writeHead(204).end()
    }
    const course = await aCourse(db)
    const owner = await aMember(db, course, 'instructor')
    const { id: answer_id, question } = await anAnswer(db, { question: await aQuestion(db, { course }) })
    const event = { type: 'answer.created', course_id: course.id, question_id: question.id, answer_id }
    const webhook = { owner, course_id: course.id, types: [event.type] }
    const ids = []
    for (let number = 0; number < receivers; number += 1)
      ids.push(await aWebhook(db, { ...webhook, url: `${receiver.url}/${number}` }))
    await sql`analyze`.execute(db)
    const { pid } = await startForum(end, url, {
      SECRET,
      WEBHOOK_HOSTS: new URL(receiver.url).host,
      LOG_LEVEL: 'warn',
      MAIL_SOON_SECONDS: '0',
    })
    const [begun, before] = [performance.now(), await processorTime(pid)]
    for (let second = 0; second < seconds; second += 1) {
      await sleep(Math.max(0, begun + 1000 * second - performance.now()))
      await happen(db, [event])
    }
    say(`${receivers * seconds} deliveries are planned`)
    const lateness = await latenessOf(db, ids.slice(dead), arrivedAt)
    const after = await processorTime(pid)
    const used = before === null || after === null ? null : after - before
    const at = (share: number) =>
      lateness[Math.floor((lateness.length - 1) * share)] ?? Number.POSITIVE_INFINITY
    const goals = [
      atMost('median of seconds from due to arrival, of receivers that answer', at(0.5), 5),
      atMost('99th percentile of these', at(0.99), 30),
      atMost('deliveries that didn’t arrive', (receivers - dead) * seconds - lateness.length, 0),
    ]
    return [
      `${receivers} receivers, ${dead} of which never answer, and an event a second for all of them, ${seconds} s long; ${used?.toFixed(1) ?? '?'} s of the forum’s processor time.`,
      await machineSection(db),
      table(GOAL_HEAD, goals.map(goalRow)),
    ].join('\n\n')
  },
)

function noteArrival(arrivedAt: Map<string, number>, { 'webhook-id': id }: Received['headers']): void {
  const name = String(id)
  arrivedAt.set(name, arrivedAt.get(name) ?? Date.now())
}

/** Seconds from due to arrival, in order, of what has arrived when all is done. */
async function latenessOf(db: Database, ids: readonly number[], arrivedAt: ReadonlyMap<string, number>) {
  for (let waited = 0; waited < LONGEST; waited += 1) {
    const { rows } = await sql`
      select from webhook_deliveries where webhook_id = any(${ids}::bigint[]) and done_at is null limit 1`.execute(
      db,
    )
    if (rows.length === 0) break
    await sleep(1000)
  }
  // Nothing waits: it is due as it happens.
  const { rows } = await sql<{ messageId: string; plannedAt: Date }>`
    select message_id as "messageId", planned_at as "plannedAt" from webhook_deliveries
    where webhook_id = any(${ids}::bigint[])`.execute(db)
  return rows
    .flatMap(({ messageId, plannedAt }) => {
      const arrived = arrivedAt.get(messageId)
      return arrived === undefined ? [] : [(arrived - plannedAt.getTime()) / 1000]
    })
    .toSorted((one, other) => one - other)
}
