import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { z } from 'zod'
import type { Write } from '../../database/schema.ts'
import { personOf } from '../../kernel/actor.ts'
import { choice, flag, plain } from '../../kernel/fields.ts'
import { operation } from '../../kernel/operation.ts'
import { notFound, refusal } from '../../kernel/problem.ts'
import type { SecretKeys } from '../../secrets/keys.ts'
import { several } from '../bulk/record.ts'
import { lockedCourse } from '../courses/find-course.ts'
import { EVENT_TYPES } from '../events/event.ts'
import { isDeleted } from '../purging/course-deletion.ts'
import { type Reach, readWebhookAddress } from './address.ts'
import { CHAT, KINDS, MOST, type WebhookKind } from './kinds.ts'
import { planTest, sendAgain } from './requests.ts'
import { sealedAddress, sealedSecret } from './webhook.ts'

/** What the form's door knows, and an operation doesn't: the keys that seal, and where addresses may lead. */
export interface WebhookPlace {
  /** Of the course; null: it is the forum's. */
  readonly slug: string | null
  readonly keys: SecretKeys
  readonly reach: Reach
}
interface OneWebhook extends WebhookPlace {
  readonly webhookId: number
}

/** The course, locked, or the forum. */
async function placeOf<Key extends WebhookPlace>(write: Write, key: Key) {
  if (key.slug !== null) return { ...(await lockedCourse(write, key.slug)), ...key }
  return { isForum: true, id: null, ...key } as const
}

const HERE = { right: 'manage-webhooks', rightOnProfile: 'manage-forum-webhooks' } as const
const onOne = { ...HERE, find: placeOf<OneWebhook> }

const anyOf = (names: readonly string[]) =>
  several(new RegExp(`^(?:${names.map((name) => name.replace('.', '\\.')).join('|')})$`)).meta({
    type: 'array',
  })
const told = {
  url: plain,
  types: anyOf(EVENT_TYPES),
  chat: anyOf(CHAT),
  names: flag,
  private: flag,
}
type Told = z.output<z.ZodObject<typeof told>>

/** 32 random bytes, in the form of Standard Webhooks 1.0.0. */
const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`

/** Makes a webhook of one's own. A program's has a secret, which is shown once. */
export const webhookMaking = operation({
  ...HERE,
  name: 'make-webhook',
  find: placeOf<WebhookPlace>,
  input: { kind: choice(KINDS), ...told },
  events: ['webhook-made'],
  async run({ write, actor, subject: { id: courseId, slug, keys, reach }, input, note }) {
    const { kind } = input
    const url = readWebhookAddress(reach, kind, input.url)
    const chosen = chosenFor(kind, input)
    await leaveRoom(write, courseId)
    const secret = kind === 'standard' ? newSecret() : null
    // Both are sealed for the row, which has its number then.
    const { id } = await write
      .insertInto('webhooks')
      .values({
        ...{ course_id: courseId, owner_id: personOf(actor).id, kind, ...chosen },
        ...{ address: Buffer.of(), shown_address: '', secret: secret === null ? null : Buffer.of() },
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    const sealed = {
      ...sealedAddress(keys, id, url),
      secret: secret === null ? null : sealedSecret(keys, id, secret),
    }
    await write.updateTable('webhooks').set(sealed).where('id', '=', id).execute()
    note('webhook-made', { courseId, webhookId: id, kind })
    return { slug, id, secret }
  },
})

/** Changes what it is told, or its address, which stays where none is typed. */
export const webhookChange = operation({
  ...onOne,
  name: 'change-webhook',
  input: told,
  events: ['webhook-changed'],
  async run({ write, subject, input, note }) {
    const { id, kind } = await lockWebhook(write, subject)
    const { keys, reach, id: courseId, slug } = subject
    const address =
      input.url === '' ? {} : sealedAddress(keys, id, readWebhookAddress(reach, kind, input.url))
    const changed = { ...address, ...chosenFor(kind, input) }
    await write.updateTable('webhooks').set(changed).where('id', '=', id).execute()
    note('webhook-changed', { courseId, webhookId: id })
    return { slug, id }
  },
})

/** Gives it a new secret, which is shown once; the one before signs as well for a day. */
export const webhookSecretRotation = operation({
  ...onOne,
  name: 'rotate-webhook-secret',
  events: ['webhook-secret-rotated'],
  async run({ write, subject, note }) {
    const { id, secret: former } = await lockWebhook(write, subject)
    if (former === null) throw notFound()
    const { keys, id: courseId, slug } = subject
    const secret = newSecret()
    await write
      .updateTable('webhooks')
      .set({
        secret: sealedSecret(keys, id, secret),
        former_secret: former,
        former_secret_until: sql<Date>`now() + interval '24 hours'`,
      })
      .where('id', '=', id)
      .execute()
    note('webhook-secret-rotated', { courseId, webhookId: id })
    return { slug, id, secret }
  },
})

/** Makes it one's own: it has one's rights from now on, and is on. */
export const webhookTakeover = operation({
  ...onOne,
  name: 'take-over-webhook',
  events: ['webhook-taken-over'],
  async run({ write, actor, subject, note }) {
    const { id } = await lockWebhook(write, subject)
    const { id: courseId, slug } = subject
    await write
      .updateTable('webhooks')
      .set({ owner_id: personOf(actor).id, stopped: null, stopped_at: null, told_at: null })
      .set({ failing_since: null, free_at: null })
      .where('id', '=', id)
      .execute()
    note('webhook-taken-over', { courseId, webhookId: id })
    return { slug, id }
  },
})

export const webhookEnding = operation({
  ...onOne,
  name: 'end-webhook',
  events: ['webhook-ended'],
  async run({ write, subject, note }) {
    const { id } = await lockWebhook(write, subject)
    const { id: courseId, slug } = subject
    await write.deleteFrom('webhooks').where('id', '=', id).execute()
    note('webhook-ended', { courseId, webhookId: id })
    return { slug }
  },
})

export const webhookTest = operation({
  ...onOne,
  name: 'test-webhook',
  async run({ write, subject }) {
    const webhook = await lockWebhook(write, subject)
    mustBeOn(webhook)
    await planTest(write, webhook.id)
    return { slug: subject.slug, id: webhook.id }
  },
})

/** Has a message tried again, under the id that it had. */
export const webhookRedelivery = operation({
  ...HERE,
  name: 'send-webhook-delivery-again',
  find: placeOf<OneWebhook & { readonly deliveryId: number }>,
  async run({ write, subject }) {
    const webhook = await lockWebhook(write, subject)
    mustBeOn(webhook)
    if (!(await sendAgain(write, webhook.id, subject.deliveryId))) throw notFound()
    return { slug: subject.slug, id: webhook.id }
  },
})

/** @throws Problem 'notFound' for one that belongs elsewhere */
async function lockWebhook(
  write: Write,
  { id: courseId, webhookId }: { readonly id: number | null; readonly webhookId: number },
) {
  const webhook = await write
    .selectFrom('webhooks')
    .select(['id', 'kind', 'secret', 'stopped'])
    .where('id', '=', webhookId)
    .where('course_id', 'is not distinct from', courseId)
    .forUpdate()
    .executeTakeFirst()
  if (webhook === undefined) throw notFound()
  return webhook
}

/** @throws Refused */
function mustBeOn({ stopped }: { readonly stopped: string | null }): void {
  if (stopped !== null) throw refusal('stopped', 'webhooks.isOff')
}

/** What a webhook of that kind is told. @throws Refused */
function chosenFor(kind: WebhookKind, { types, chat, names, private: withPrivate }: Told) {
  const isProgram = kind === 'standard'
  if (!isProgram && (names || withPrivate)) throw refusal(names ? 'names' : 'private', 'webhooks.chat.never')
  if (isProgram ? types.length === 0 : chat.length === 0)
    throw refusal(isProgram ? 'types' : 'chat', 'webhooks.types.none')
  return {
    types: isProgram ? [...types] : [],
    chat: isProgram ? [] : [...chat],
    with_names: names,
    with_private: withPrivate,
  }
}

/** Of two that are made at once, one is counted first. @throws Refused, Problem 'notFound' of a course that is deleted */
async function leaveRoom(write: Write, courseId: number | null): Promise<void> {
  if (courseId === null) await sql`lock table webhooks in share row exclusive mode`.execute(write)
  else if (await isDeleted(write, courseId)) throw notFound()
  const max = courseId === null ? MOST.forum : MOST.course
  const { count } = await write
    .selectFrom('webhooks')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('course_id', 'is not distinct from', courseId)
    .executeTakeFirstOrThrow()
  if (count >= max) throw refusal('url', 'webhooks.many', { max })
}
