import { sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import type { Kind } from '../../jobs/kind.ts'
import type { Fetched, GuardedClient } from '../../web/guarded-fetch.ts'
import { Turns } from '../../web/limits/turns.ts'
import { type Message, type Sender, takeMessage } from './delivery.ts'
import { planByClock, queueDueWebhooks, WEBHOOK } from './planning.ts'
import { stopWebhook } from './webhook.ts'

export interface WebhookSending extends Sender {
  /** One for each run: a receiver that is slow has none of the connections of others. */
  readonly newClient: () => GuardedClient
}

/** Milliseconds for all of a request, and bytes of an answer that are read and thrown away. */
const BOUNDS = { deadline: 10_000, maxBytes: 64 * 1024 } as const
/** A run ends soon after, so that others get their turn. */
const RUN_MS = 20_000
/** Between looks for what is due, and for what chats are told by the clock. */
const [REST_MS, CLOCK_EVERY_MS] = [100, 5000] as const
/** Of the connections to the database, which pages need. */
const CONNECTIONS = 3
/** Half of them may wait for receivers that don't answer, and the other half goes on. */
const CONCURRENT = 40

/** The jobs that send what webhooks are to be told: one for each webhook, whose id is its key, so that none waits for another. */
export function webhookKind(db: Database, sending: WebhookSending): Kind {
  let plannedAt = Number.NEGATIVE_INFINITY
  const patience = RUN_MS + 2 * BOUNDS.deadline
  const turns = new Turns({ room: CONNECTIONS, waiting: CONCURRENT, waitingOfName: CONCURRENT, patience })
  const inTurn: InTurn = async (work) => {
    const end = await turns.take({ size: 1 })
    return work().finally(end)
  }
  return {
    name: WEBHOOK,
    concurrency: CONCURRENT,
    batch: 1,
    timeout: patience,
    // What is due meanwhile is begun together.
    rest: () => REST_MS,
    plan: async () => {
      if (performance.now() - plannedAt > CLOCK_EVERY_MS) {
        await planByClock(db)
        plannedAt = performance.now()
      }
      await queueDueWebhooks(db)
    },
    run: ([job], signal) => sendDue(db, Number(job?.key), { ...sending, inTurn, signal }),
  }
}

type InTurn = <Result>(work: () => Promise<Result>) => Promise<Result>
interface Run extends WebhookSending {
  readonly inTurn: InTurn
  readonly signal: AbortSignal
}

/** Sends what is due, in this order, until something fails. */
async function sendDue(db: Database, webhookId: number, run: Run): Promise<void> {
  const client = run.newClient()
  const take = () => db.transaction().execute((write) => takeMessage(write, webhookId, run))
  try {
    for (const begun = performance.now(); performance.now() - begun < RUN_MS; ) {
      const message = await run.inTurn(take)
      if (message === null) return
      if (message === 'later') continue
      const answer = await post(client, message, run.signal)
      if (!(await run.inTurn(() => record(db, webhookId, message, answer)))) return
    }
  } finally {
    client.close()
  }
}

/** @returns null: no answer, or none within the bounds. @throws where this process stops: what came of it is unknown */
async function post(client: GuardedClient, { url, body, headers }: Message, signal: AbortSignal) {
  try {
    return await client.fetch({ url, method: 'POST', headers, body }, { ...BOUNDS, signal })
  } catch (error) {
    if (signal.aborted) throw error
    return null
  }
}

/** Records what came of a message. @returns whether it was taken, and more may follow at once */
async function record(
  db: Database,
  webhookId: number,
  message: Message,
  answer: Fetched | null,
): Promise<boolean> {
  if (answer !== null && answer.status >= 200 && answer.status <= 299) {
    await recordTaken(db, webhookId, message, answer.status)
    return true
  }
  const outcome = answer === null ? 'unreachable' : String(answer.status)
  await db.transaction().execute(async (write) => {
    await recordFailed(write, webhookId, message, { outcome, wait: waitAsked(answer) })
    // Gone for good, as it says itself.
    if (answer?.status === 410) await stopWebhook(write, webhookId, 'gone')
  })
  return false
}

/** Between two messages to a chat. */
const CHAT_SECONDS = 60

async function recordTaken(db: Database, webhookId: number, message: Message, status: number): Promise<void> {
  const isChat = message.kind !== 'standard'
  await sql`
    with done as (
      update webhook_deliveries set outcome = ${String(status)}, done_at = now()
      where id = any(${message.deliveries.map(({ id }) => id)}::bigint[]))
    update webhooks set failing_since = null,
      free_at = case when ${isChat} then now() + make_interval(secs => ${CHAT_SECONDS}) end,
      late_until = case when ${message.isLate} then ${message.madeAt} else late_until end
    where id = ${webhookId} and (${isChat} or failing_since is not null or free_at is not null)`.execute(db)
}

/** Between tries of a delivery, in seconds; the last one again and again. */
const PAUSES = [5, 60, 300, 1800, 2 * 3600, 5 * 3600, 10 * 3600, 12 * 3600] as const
/** Up to a fifth sooner or later, so that not all come back at once. */
const JITTER = 0.2
/** So long something is tried; a receiver that took nothing for the last day of it is sent nothing more. */
const [TRIED_DAYS, SILENT_DAYS] = [3, 1] as const
/** A receiver that fails rests for a quarter of the time that it has failed, within these bounds, whatever else is due. */
const [MIN_REST, MAX_REST] = [5, 300] as const

interface Failure {
  readonly outcome: string
  /** Seconds that the receiver asked for. */
  readonly wait: number
}

async function recordFailed(
  write: Write,
  webhookId: number,
  { deliveries }: Message,
  { outcome, wait }: Failure,
): Promise<void> {
  const { rows } = await sql<{ isOver: boolean }>`
    update webhooks set failing_since = coalesce(failing_since, now()),
      free_at = now() + make_interval(secs => greatest(${wait}, ${MIN_REST}, least(${MAX_REST},
        extract(epoch from now() - coalesce(failing_since, now())) / 4)))
    where id = ${webhookId}
    returning failing_since <= now() - make_interval(days => ${SILENT_DAYS}) as "isOver"`.execute(write)
  const tries = Math.max(...deliveries.map(({ tries }) => tries))
  const pause =
    (PAUSES[tries - 1] ?? PAUSES[PAUSES.length - 1] ?? 0) * (1 - JITTER + 2 * JITTER * Math.random())
  const { rows: ended } = await sql<{ isOver: boolean }>`
    update webhook_deliveries set outcome = ${outcome}, due_at = now() + make_interval(secs => ${Math.max(pause, wait)}),
      done_at = case when planned_at <= now() - make_interval(days => ${TRIED_DAYS}) then now() end
    where id = any(${deliveries.map(({ id }) => id)}::bigint[])
    returning done_at is not null as "isOver"`.execute(write)
  if (rows[0]?.isOver === true && ended.some(({ isOver }) => isOver))
    await stopWebhook(write, webhookId, 'failing')
}

/** Who asks for a longer wait is heeded no further. */
const MAX_WAIT_SECONDS = 12 * 3600

/** The `Retry-After` of an answer that may have one, in seconds, as a number or a date; 0: none. */
function waitAsked(answer: Fetched | null): number {
  if (answer === null || (answer.status !== 429 && answer.status !== 503)) return 0
  const asked = answer.headers['retry-after'] ?? ''
  const seconds = /^\d{1,9}$/.test(asked) ? Number(asked) : (Date.parse(asked) - Date.now()) / 1000
  return Number.isNaN(seconds) ? 0 : Math.min(MAX_WAIT_SECONDS, Math.max(0, seconds))
}
