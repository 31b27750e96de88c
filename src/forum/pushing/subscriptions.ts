import { sql } from 'kysely'
import type { InSession } from '../../accounts/identity/own-account.ts'
import type { Database } from '../../database/schema.ts'
import { apart, holder, table } from '../../database/table.ts'
import { ownPart } from '../../kernel/own-data.ts'
import type { PageContext } from '../../web/page.ts'
import { hashToken } from '../../web/tokens.ts'
import { readPushKeys } from './push-service.ts'

export const pushSubscriptions = table('push_subscriptions', { person_id: apart(holder) })

/** Where a browser takes pushes, and the keys that encrypt them (RFC 8291), in base64url. */
export interface Subscription {
  readonly endpoint: string
  readonly p256dh: string
  readonly auth: string
}

/** Browsers of one person: with another one the oldest goes. */
export const MAX_SUBSCRIPTIONS = 5

/**
 * Switches pushes on for the browser of a session, in place of what it had, and of whoever used the same
 * browser before.
 */
export async function subscribe(
  db: Database,
  { personId, sessionToken }: InSession,
  subscription: Subscription,
  serverKey: string,
): Promise<void> {
  const tokenHash = hashToken(sessionToken ?? '')
  await db.transaction().execute(async (write) => {
    // One after the other, so that the number holds.
    await sql`select from people where id = ${personId} for no key update`.execute(write)
    await sql`
      delete from push_subscriptions where endpoint = ${subscription.endpoint} or token_hash = ${tokenHash}`.execute(
      write,
    )
    await write
      .insertInto('push_subscriptions')
      .values({
        ...subscription,
        token_hash: tokenHash,
        person_id: personId,
        server_key: serverKey,
      })
      .execute()
    await sql`
      delete from push_subscriptions where id in (
        select id from push_subscriptions where person_id = ${personId} order by id desc offset ${MAX_SUBSCRIPTIONS})`.execute(
      write,
    )
  })
}

export async function unsubscribeBrowser(db: Database, { sessionToken }: InSession): Promise<void> {
  await db
    .deleteFrom('push_subscriptions')
    .where('token_hash', '=', hashToken(sessionToken ?? ''))
    .execute()
}

/**
 * Whether the browser that asks takes pushes that are encrypted with the forum's public key, which
 * public/js/push.js subscribes with.
 * @returns null: the keys cannot be read or made, so that nothing can be pushed
 */
export async function pushSectionFor({ db, config, log, sessionToken }: PageContext) {
  try {
    const { publicKey: key } = await readPushKeys(config.dataDir)
    const found = await db
      .selectFrom('push_subscriptions')
      .select('id')
      .where('token_hash', '=', hashToken(sessionToken ?? ''))
      .where('server_key', '=', key)
      .executeTakeFirst()
    return { key, isOn: found !== undefined }
  } catch (error) {
    log.warn({ err: error }, 'no pushes: the keys cannot be used')
    return null
  }
}

export const ownPushes = ownPart('pushes', (db, { id: personId }) =>
  db
    .selectFrom('push_subscriptions')
    .select(['created_at as since', 'last_sent_at as lastAt'])
    .where('person_id', '=', personId)
    .orderBy('id')
    .execute(),
)
