import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type RawBuilder, sql } from 'kysely'
import type { Database, NewRow } from '../../database/schema.ts'
import { doJobs } from '../../jobs/do-jobs.ts'
import type { SecretKeys } from '../../secrets/keys.ts'
import { SECRET } from '../../testing/app.ts'
import { atEnd, type Ending } from '../../testing/at-end.ts'
import { aCourse, aMember } from '../../testing/builders.ts'
import type { CourseOptions } from '../../testing/courses.ts'
import { rowsOf, setRows } from '../../testing/rows.ts'
import { GuardedClient } from '../../web/guarded-fetch.ts'
import { createServer } from '../../web/transport/node-http.ts'
import { numberEvents } from '../events/numbering.ts'
import { KINDS, POST_TABLES, withQuestion } from '../posts/kinds.ts'
import type { CHAT_FORMATS } from './chat-formats.ts'
import type { Payload } from './payload.ts'
import { planDeliveries } from './planning.ts'
import { type WebhookSending, webhookKind } from './sending.ts'
import { sealedAddress, sealedSecret } from './webhook.ts'

/** What a receiver got. */
export interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

type SlackMessage = ReturnType<typeof CHAT_FORMATS.slack>

/** Somebody's server that takes what webhooks send. */
export async function aReceiver(t: Ending) {
  const received: Received[] = []
  const receiver = {
    url: '',
    received,
    /** How it answers. */
    answer: (reply: ServerResponse, _path: string): unknown => reply.writeHead(204).end(),
    /** The payloads that it got since the last time. */
    payloads: () => received.splice(0).map(({ body }): Payload => JSON.parse(body)),
    /** The same of a chat: of Slack, unless said. */
    messages: <Message = SlackMessage>() => received.splice(0).map(({ body }): Message => JSON.parse(body)),
  }
  const server = createServer(async (request, reply) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const path = request.url ?? ''
    received.push({ path, headers: request.headers, body: Buffer.concat(parts).toString() })
    receiver.answer(reply, path)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  atEnd(t, async () => {
    server.closeAllConnections()
    server.close()
  })
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  return receiver
}

/** As many bytes as the specification asks for. */
export const WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

export type WebhookOptions = Partial<Omit<NewRow<'webhooks'>, 'address' | 'secret' | 'former_secret'>> & {
  readonly url: string
  readonly owner: { readonly id: number }
  readonly formerSecret?: string
  /** That seal it; those of tests, unless said. */
  readonly keys?: SecretKeys
}

/** A webhook that is on. @returns its id */
export async function aWebhook(
  db: Database,
  { url, owner, formerSecret, keys = [SECRET], kind = 'standard', ...row }: WebhookOptions,
): Promise<number> {
  const nothing = Buffer.alloc(0)
  const { id } = await db
    .insertInto('webhooks')
    .values({
      ...{ owner_id: owner.id, shown_address: 'example.com/…', address: nothing, ...row, kind },
      secret: kind === 'standard' ? nothing : null,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await setRows(db, 'webhooks', id, {
    ...sealedAddress(keys, id, new URL(url)),
    ...(kind === 'standard' && { secret: sealedSecret(keys, id, WEBHOOK_SECRET) }),
    ...(formerSecret !== undefined && {
      former_secret: sealedSecret(keys, id, formerSecret),
      former_secret_until: sql<Date>`now() + interval '1 day'`,
    }),
  })
  return id
}

/** A course with a webhook of its instructor's, and the server that takes what it sends. */
export async function aToldCourse(
  t: Ending,
  db: Database,
  more: Partial<WebhookOptions> = {},
  options: CourseOptions = {},
) {
  const course = await aCourse(db, options)
  const [owner, receiver] = [await aMember(db, course, 'instructor'), await aReceiver(t)]
  const id = await aWebhook(db, { url: receiver.url, owner, course_id: course.id, ...more })
  return { db, course, owner, receiver, id }
}

type EventRow = NewRow<'events'>
/** An event; `happened_at` is now, `audience` the course, unless said. */
type Happened = Omit<Partial<EventRow>, 'type' | 'course_id' | 'happened_at'> & {
  readonly type: string
  readonly course_id: number
  readonly happened_at?: RawBuilder<Date>
}

/** Questions were asked. */
export const asked = (
  db: Database,
  questions: readonly { readonly id: number; readonly courseId: number }[],
) =>
  happen(
    db,
    questions.map(({ id, courseId }) => ({ type: 'question.created', course_id: courseId, question_id: id })),
  )

/** Events that get their numbers now, and what webhooks are to tell of them. @param soonSeconds 0: it is due at once */
export async function happen(db: Database, events: readonly Happened[], soonSeconds = 0): Promise<void> {
  // What was written before is told to nobody here.
  await numberEvents(db)
  const rows = events.map(({ type, ...event }) => ({
    ...{ audience: 'course' as const, ...event },
    type: type as EventRow['type'],
  }))
  await db.insertInto('events').values(rows).execute()
  await numberEvents(db, planDeliveries(soonSeconds))
}

export const SENDING: WebhookSending = {
  ...{ keys: [SECRET], baseUrl: 'https://forum.example' },
  newClient: () => new GuardedClient(() => true),
}

/** Sends all that is due. */
export async function deliver(db: Database): Promise<void> {
  await doJobs(db, webhookKind(db, SENDING))
}

/** A webhook's deliveries, the oldest first. */
export const deliveriesOf = (db: Database, webhookId: number) =>
  rowsOf(db, 'webhook_deliveries', { webhook_id: webhookId })

/** A delivery that says that it is a test, due now. */
export const aTestDelivery = (db: Database, id: number) =>
  sql`insert into webhook_deliveries (webhook_id, message_id, what, due_at)
    values (${id}, ${`msg_test${id}`}, 'test', now())`.execute(db)

const TIMES = {
  webhook_deliveries: ['planned_at', 'due_at', 'tried_at', 'done_at'],
  webhooks: ['created_at', 'failing_since', 'free_at', 'daily_at', 'late_until'],
} as const

/** As if so much time had passed for webhooks. @param interval as PostgreSQL has it */
export async function passWebhookTime(db: Database, interval: string): Promise<void> {
  for (const [table, columns] of Object.entries(TIMES)) {
    const earlier = columns.map(
      (column) => sql`${sql.ref(column)} = ${sql.ref(column)} - ${interval}::interval`,
    )
    await sql`update ${sql.table(table)} set ${sql.join(earlier)}`.execute(db)
  }
}

/** What happens to posts, by kind. */
const HAPPENINGS = {
  questions: ['created', 'edited', 'restored', 'resolved', 'reopened', 'closed', 'moved', 'removed'],
  answers: ['created', 'edited', 'restored', 'accepted', 'unaccepted', 'endorsed', 'removed'],
  replies: ['created', 'edited', 'restored', 'removed'],
} as const

/** Types of events about posts. */
export const POST_EVENTS = POST_TABLES.flatMap((table) =>
  HAPPENINGS[table].map((happening) => `${KINDS[table].kind}.${happening}`),
)

/** Everything there is happens to every post there is. */
export async function everythingHappens(db: Database, audience: 'course' | 'staff'): Promise<void> {
  for (const table of POST_TABLES) {
    const { rows } = await sql<
      Record<'id' | 'courseId' | 'questionId', number> & { answerId: number | null }
    >`
      select post.id, q.course_id as "courseId", q.id as "questionId",
        ${table === 'replies' ? sql`post.answer_id` : sql`null`} as "answerId"
      from ${withQuestion(table)} order by post.id`.execute(db)
    const { kind } = KINDS[table]
    const events = rows.flatMap(({ id, courseId, questionId, answerId }) =>
      HAPPENINGS[table].map((happening) => ({
        ...{ type: `${kind}.${happening}`, course_id: courseId, question_id: questionId, audience },
        answer_id: table === 'answers' ? id : answerId,
        reply_id: table === 'replies' ? id : null,
      })),
    )
    await happen(db, events)
  }
}
