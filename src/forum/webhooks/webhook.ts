import { type RawBuilder, sql } from 'kysely'
import type { Database, Row, Write } from '../../database/schema.ts'
import { actor, table, unmissed } from '../../database/table.ts'
import { term } from '../../database/terms.ts'
import { ownPart } from '../../kernel/own-data.ts'
import { suspensionsOfPerson } from '../../kernel/rights/person.ts'
import { type Actor, may, type Place } from '../../kernel/rights/rights.ts'
import type { SecretKeys } from '../../secrets/keys.ts'
import { open, reseal, seal } from '../../secrets/sealed.ts'
import { shownAddress } from './address.ts'

export const webhooks = table('webhooks', {
  // Without an owner it is stopped: somebody else takes it over.
  owner_id: { ...unmissed(actor), leaving: 'empty', merge: 'stays' },
})
export const webhookDeliveries = table(
  'webhook_deliveries',
  {},
  { expired: sql`planned_at < now() - ${term('webhookDeliveries')}` },
)

/** Those of which they are the owner, with what is shown of their addresses. */
export const ownWebhooks = ownPart('webhooks', (db, { id }) =>
  db
    .selectFrom('webhooks as webhook')
    .leftJoin('courses as course', 'course.id', 'webhook.course_id')
    .select(['course.title as course', 'webhook.kind', 'webhook.shown_address as address'])
    .select('webhook.created_at as createdAt')
    .where('webhook.owner_id', '=', id)
    .orderBy('webhook.id')
    .execute(),
)

/** The purpose that an address and the key of its signatures are sealed for (src/secrets). */
const PURPOSE = 'webhook'

export type SealedWebhook = Pick<
  Row<'webhooks'>,
  'id' | 'address' | 'secret' | 'former_secret' | 'former_secret_until'
>

/**
 * The address of a webhook, and the secrets that sign: both within a day of a rotation, none of a chat.
 * @throws Error when no key opens them
 */
export function openWebhook(keys: SecretKeys, row: SealedWebhook) {
  const opened = openedWith(keys, row)
  if (opened === null) throw new Error('SECRET can’t decrypt the address of a webhook')
  return opened
}

/** @returns null: no key opens them */
function openedWith(keys: SecretKeys, row: SealedWebhook) {
  const { id, former_secret_until: until } = row
  const isBoth = until !== null && until.getTime() > Date.now()
  const address = open(keys, PURPOSE, id, row.address)
  const sealed = [row.secret, isBoth ? row.former_secret : null].filter((secret) => secret !== null)
  const secrets = sealed.map((secret) => open(keys, PURPOSE, id, secret)).filter((secret) => secret !== null)
  return address === null || secrets.length < sealed.length ? null : { address, secrets }
}

export const sealedAddress = (keys: SecretKeys, id: number, url: URL) => ({
  address: seal(keys, PURPOSE, id, url.href),
  shown_address: shownAddress(url),
})

export const sealedSecret = (keys: SecretKeys, id: number, secret: string) => seal(keys, PURPOSE, id, secret)

/** Seals with the first key what is sealed with another one. @returns how many */
export async function renewWebhooks(db: Database, keys: SecretKeys): Promise<number> {
  let count = 0
  for (const row of await sealedRows(db)) {
    const { id, address, secret, former_secret: former } = row
    const renewed = {
      address: reseal(keys, PURPOSE, id, address) ?? address,
      secret: secret && (reseal(keys, PURPOSE, id, secret) ?? secret),
      former_secret: former && (reseal(keys, PURPOSE, id, former) ?? former),
    }
    if (renewed.address === address && renewed.secret === secret && renewed.former_secret === former) continue
    // Changed meanwhile: then it is sealed with the first one already.
    const { numUpdatedRows } = await db
      .updateTable('webhooks')
      .set(renewed)
      .where('id', '=', id)
      .where('address', '=', address)
      .where('secret', 'is not distinct from', secret)
      .where('former_secret', 'is not distinct from', former)
      .executeTakeFirst()
    count += Number(numUpdatedRows)
  }
  return count
}

/** What is shown of webhooks that none of the keys opens, so that nothing is sent. @param keys null: there are none */
export async function unreadableWebhooks(db: Database, keys: SecretKeys | null): Promise<string[]> {
  const rows = await sealedRows(db)
  return rows
    .filter((row) => keys === null || openedWith(keys, row) === null)
    .map(({ shown_address }) => shown_address)
}

function sealedRows(db: Database) {
  return db
    .selectFrom('webhooks')
    .select(['id', 'shown_address', 'address', 'secret', 'former_secret', 'former_secret_until'])
    .orderBy('id')
    .execute()
}

/**
 * Whether its owner may still have it, of aliases `webhook` and `person`: in the course as an instructor or an admin, of the forum as an
 * admin; and not suspended there.
 */
export const isOwnerEntitled: RawBuilder<boolean> = sql<boolean>`coalesce(
  (person.is_admin or exists (select from course_members as member
    where member.course_id = webhook.course_id and member.person_id = person.id and member.role = 'instructor'))
  and not exists (select from jsonb_array_elements(${suspensionsOfPerson}) as suspension
    where suspension->>'courseId' is null or (suspension->>'courseId')::bigint = webhook.course_id), false)`

/** Whether somebody may have a webhook. @param place of its course; null: it is the forum's */
export function mayHaveWebhook(owner: Actor, place: Place | null): boolean {
  return place === null ? may(owner, 'manage-forum-webhooks') : may(owner, 'manage-webhooks', place)
}

/** Switches a webhook off; what waits is not sent any more. The course's instructors, or the admins, get an email: stops.ts. */
export async function stopWebhook(
  write: Write | Database,
  id: number,
  stopped: 'owner' | 'failing' | 'gone',
): Promise<void> {
  await write
    .updateTable('webhooks')
    .set({ stopped, stopped_at: sql<Date>`now()`, told_at: null })
    .where('id', '=', id)
    .where('stopped', 'is', null)
    .execute()
  await write
    .updateTable('webhook_deliveries')
    .set({ done_at: sql<Date>`now()`, outcome: sql`coalesce(outcome, 'dropped')` })
    .where('webhook_id', '=', id)
    .where('done_at', 'is', null)
    .execute()
}

/** Webhooks of a course, or (null) of the forum. Uses index webhooks_course. */
export function listWebhooks(db: Database, courseId: number | null) {
  return selectWebhooks(db, courseId).orderBy('webhook.id').execute()
}

export async function findWebhook(db: Database, courseId: number | null, id: number) {
  return (await selectWebhooks(db, courseId).where('webhook.id', '=', id).executeTakeFirst()) ?? null
}

export type ListedWebhook = Awaited<ReturnType<typeof listWebhooks>>[number]

function selectWebhooks(db: Database, courseId: number | null) {
  return db
    .selectFrom('webhooks as webhook')
    .leftJoin('people as person', 'person.id', 'webhook.owner_id')
    .leftJoin('courses as course', 'course.id', 'webhook.course_id')
    .select(['webhook.id', 'webhook.kind', 'webhook.shown_address', 'webhook.types', 'webhook.chat'])
    .select(['webhook.with_names', 'webhook.with_private', 'webhook.created_at'])
    .select(['webhook.owner_id', 'person.display_name as owner', 'course.archived_at'])
    .select(
      sql<
        Row<'webhooks'>['stopped']
      >`case when webhook.stopped is null and not ${isOwnerEntitled} then 'owner'
        else webhook.stopped end`.as('stopped'),
    )
    .where('webhook.course_id', 'is not distinct from', courseId)
}

/** Deliveries that a page shows. */
const SHOWN = 100

/** The last deliveries of a webhook, the newest first. Uses index webhook_deliveries_recent. */
export function listDeliveries(db: Database, webhookId: number) {
  return db
    .selectFrom('webhook_deliveries as delivery')
    .leftJoin('events as event', 'event.id', 'delivery.event_id')
    .select(['delivery.id', 'delivery.what', 'event.type', 'delivery.planned_at', 'delivery.due_at'])
    .select(['delivery.tries', 'delivery.outcome', 'delivery.done_at'])
    .where('delivery.webhook_id', '=', webhookId)
    .orderBy('delivery.id', 'desc')
    .limit(SHOWN)
    .execute()
}
