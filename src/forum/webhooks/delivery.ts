import { sql } from 'kysely'
import type { Language, Row, Write } from '../../database/schema.ts'
import { type Person, personFields, suspensionIn, suspensionsOfPerson } from '../../kernel/rights/person.ts'
import { placeOf } from '../../kernel/rights/rights.ts'
import type { SecretKeys } from '../../secrets/keys.ts'
import { type ChatPlace, dailySummary, newlyLate, newQuestions, testMessage } from './chat.ts'
import { CHAT_FORMATS } from './chat-formats.ts'
import { payload, payloadOf, type Telling, type ToldEvent } from './payload.ts'
import { signedHeaders } from './signature.ts'
import { mayHaveWebhook, openWebhook, stopWebhook } from './webhook.ts'

export interface Sender {
  readonly keys: SecretKeys
  readonly baseUrl: string
}

/** What is sent to one receiver. */
export interface Message {
  readonly url: string
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
  readonly kind: Row<'webhooks'>['kind']
  /** The deliveries that it makes, one unless it is to a chat. */
  readonly deliveries: readonly { readonly id: number; readonly tries: number }[]
  /** When it was made, by the database's clock. */
  readonly madeAt: Date
  /** It tells all that had waited too long until then. */
  readonly isLate: boolean
}

/** Deliveries that one message to a chat makes. */
const MAX_TOGETHER = 100
/** Until another process tries again what this one took and died with. Longer than a try. */
const LEASE_SECONDS = 30

/**
 * Takes what a receiver is sent next, made of what is true now and with the rights that the webhook's owner has now. What may be told
 * no more is done with, untold.
 * @returns 'later': look again, something was dropped; null: nothing is due
 */
export async function takeMessage(
  write: Write,
  webhookId: number,
  sender: Sender,
): Promise<Message | 'later' | null> {
  const webhook = await findFree(write, webhookId)
  const due = webhook === undefined ? [] : await findDue(write, webhook)
  if (webhook === undefined || due.length === 0) return null
  await lockQuestions(write, due)
  const owner = await findOwner(write, webhook)
  if (owner === null) {
    await stopWebhook(write, webhookId, 'owner')
    return null
  }
  const { body, told } = await compose(write, { webhook, due, owner, sender })
  const sent = body === null ? [] : due.filter(({ id }) => told.includes(id))
  const untold = due.filter((one) => !sent.includes(one)).map(({ id }) => id)
  if (untold.length > 0) await drop(write, untold)
  const claimed = await claim(write, sent)
  const [first] = claimed
  if (first === undefined) return 'later'
  const { address: url, secrets } = openWebhook(sender.keys, webhook)
  const text = JSON.stringify(body)
  const signed = secrets.length === 0 ? {} : signedHeaders(first.messageId, first.madeAt, text, secrets)
  const headers = { 'content-type': 'application/json', ...signed }
  const { madeAt } = first
  return {
    url,
    body: text,
    headers,
    kind: webhook.kind,
    deliveries: claimed,
    madeAt,
    isLate: due[0]?.what === 'late',
  }
}

type Webhook = NonNullable<Awaited<ReturnType<typeof findFree>>>

/** A webhook that is on, and whose receiver may get a request. */
function findFree(write: Write, id: number) {
  return write
    .selectFrom('webhooks as webhook')
    .leftJoin('courses as course', 'course.id', 'webhook.course_id')
    .leftJoin('people as owner', 'owner.id', 'webhook.owner_id')
    .select(['webhook.id', 'webhook.kind', 'webhook.course_id', 'webhook.owner_id', 'webhook.with_names'])
    .select(['webhook.with_private', 'webhook.address', 'webhook.secret', 'webhook.former_secret'])
    .select(['webhook.former_secret_until', 'course.slug', 'course.title', 'course.archived_at'])
    .select(['course.is_public', 'course.asking'])
    .select(sql<Language>`coalesce(course.language, owner.language, 'en')`.as('language'))
    .where('webhook.id', '=', id)
    .where('webhook.stopped', 'is', null)
    .where(sql<boolean>`coalesce(webhook.free_at, '-infinity') <= now()`)
    .executeTakeFirst()
}

type Due = Awaited<ReturnType<typeof findDue>>[number]

/** What is due first; of a chat, all of its kind. Uses index webhook_deliveries_due. */
async function findDue(write: Write, { id, kind }: Pick<Webhook, 'id' | 'kind'>) {
  const rows = await write
    .selectFrom('webhook_deliveries as delivery')
    .leftJoin('events as event', 'event.id', 'delivery.event_id')
    .leftJoin('courses as course', 'course.id', 'event.course_id')
    .select(['delivery.id', 'delivery.what', 'delivery.planned_at'])
    .select(['event.type', 'event.audience', 'event.happened_at', 'event.question_id'])
    .select(['event.answer_id', 'event.reply_id', 'event.announcement_id'])
    .select(['course.id as course_id', 'course.slug', 'course.language', 'course.is_public'])
    .select(['course.asking', 'course.archived_at'])
    .where('delivery.webhook_id', '=', id)
    .where('delivery.done_at', 'is', null)
    .where('delivery.due_at', '<=', sql<Date>`now()`)
    .orderBy('delivery.due_at')
    .orderBy('delivery.id')
    .limit(kind === 'standard' ? 1 : MAX_TOGETHER)
    .execute()
  return rows.filter(({ what }) => what === rows[0]?.what)
}

/**
 * Whoever hides a name locks the question first, and looks whether a delivery told it (posts/source.ts): one waits for the other, so that
 * no name is told that is hidden a moment later.
 */
async function lockQuestions(write: Write, due: readonly Due[]): Promise<void> {
  const ids = due.flatMap(({ question_id: id }) => (id === null ? [] : [id]))
  await sql`select from questions where id = any(${ids}::bigint[]) order by id for share`.execute(write)
}

/** Whose rights a webhook has; null: they may not have it any more. */
async function findOwner(write: Write, webhook: Webhook): Promise<Person | null> {
  const { owner_id: ownerId, course_id: courseId, asking, is_public: isPublic } = webhook
  if (ownerId === null) return null
  const owner = await write
    .selectFrom('people as person')
    .select([...personFields(null), suspensionsOfPerson.as('suspensions')])
    .where('person.id', '=', ownerId)
    .where('person.left_at', 'is', null)
    .executeTakeFirst()
  if (owner === undefined || suspensionIn(owner.suspensions, courseId) !== null) return null
  const place =
    courseId === null || isPublic === null || asking === null
      ? null
      : placeOf({ id: courseId, isPublic, asking, isArchived: webhook.archived_at !== null })
  return mayHaveWebhook(owner, place) ? owner : null
}

interface Composing {
  readonly webhook: Webhook
  readonly due: readonly Due[]
  readonly owner: Person
  readonly sender: Sender
}

/** @returns `body` null: there is nothing to tell; `told`: the ids of those of `due` that it tells */
async function compose(write: Write, { webhook, due, owner, sender }: Composing) {
  const { kind, course_id: courseId, slug, title, language } = webhook
  const { baseUrl } = sender
  const [only = null] = due
  const all = due.map(({ id }) => id)
  if (kind === 'standard') {
    const telling = { owner, withNames: webhook.with_names, withPrivate: webhook.with_private, baseUrl }
    return { body: only && (await composePayload(write, telling, only, slug)), told: all }
  }
  const course = courseId === null || slug === null || title === null ? null : { slug, title }
  const place: ChatPlace = { webhookId: webhook.id, course, language, baseUrl }
  const events = due.map(eventOf).filter((event) => event !== null)
  const asked = only?.what === 'event' ? await newQuestions(write, place, events) : null
  const message = asked?.message ?? (await byWhat[only?.what ?? 'event'](write, place))
  const told = due.filter(({ question_id: id }) => id !== null && asked?.told.includes(id) === true)
  return {
    body: message && CHAT_FORMATS[kind](message),
    told: asked === null ? all : told.map(({ id }) => id),
  }
}

/** What chats are told but of events; an archived course, which is quiet, has nothing that is late, or new. */
const byWhat = {
  event: async () => null,
  test: async (_write: Write, place: ChatPlace) => testMessage(place),
  late: newlyLate,
  daily: dailySummary,
} as const

async function composePayload(write: Write, telling: Telling, due: Due, course: string | null) {
  if (due.what === 'test') return payload('webhook.test', due.planned_at, { course })
  const event = eventOf(due)
  const isMeant = due.audience === 'course' || telling.withPrivate
  return event && isMeant ? payloadOf(write, telling, event) : null
}

/** null: it is of an archived course, which is quiet. */
function eventOf(due: Due): ToldEvent | null {
  const { type, happened_at: happenedAt, course_id: id, slug, language, is_public: isPublic, asking } = due
  const isThere = type !== null && happenedAt !== null && id !== null && slug !== null && language !== null
  if (!isThere || isPublic === null || asking === null || due.archived_at !== null) return null
  return {
    ...{ type, happenedAt, questionId: due.question_id, answerId: due.answer_id },
    ...{ replyId: due.reply_id, announcementId: due.announcement_id },
    course: { id, slug, language, isPublic, asking, isArchived: false },
  }
}

async function drop(write: Write, ids: readonly number[]): Promise<void> {
  await sql`
    update webhook_deliveries set outcome = 'dropped', done_at = now()
    where done_at is null and id = any(${[...ids]}::bigint[])`.execute(write)
}

/** Counts a try before it is one: if this process dies, another one tries again when the lease is over. */
async function claim(write: Write, told: readonly Due[]) {
  const { rows } = await sql<{ id: number; messageId: string; tries: number; madeAt: Date }>`
    update webhook_deliveries
    set tries = tries + 1, tried_at = now(), due_at = now() + make_interval(secs => ${LEASE_SECONDS})
    where id = any(${told.map(({ id }) => id)}::bigint[]) and done_at is null and due_at <= now()
    returning id, message_id as "messageId", tries, tried_at as "madeAt"`.execute(write)
  return rows
}
