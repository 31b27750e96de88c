import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { hashToken } from '../../web/tokens.ts'

/** Where a browser takes pushes, and the keys that encrypt them (RFC 8291), in base64url. */
export interface Subscription {
  readonly endpoint: string
  readonly p256dh: string
  readonly auth: string
}

/** Browsers of one person: with another one the oldest goes. */
export const MAX_SUBSCRIPTIONS = 5

/** The session of somebody who is signed in. */
export interface OwnSession {
  readonly personId: number
  readonly token: string
}

/**
 * Switches pushes on for the browser of a session, in place of what it had, and of whoever used the same browser before.
 * @param serverKey the forum's public key
 */
export async function subscribe(
  db: Database,
  { personId, token }: OwnSession,
  subscription: Subscription,
  serverKey: string,
): Promise<void> {
  await db.transaction().execute(async (write) => {
    // One after the other, so that the number holds.
    await sql`select from people where id = ${personId} for no key update`.execute(write)
    await sql`
      delete from push_subscriptions where endpoint = ${subscription.endpoint} or token_hash = ${hashToken(token)}`.execute(
      write,
    )
    await write
      .insertInto('push_subscriptions')
      .values({
        ...subscription,
        token_hash: hashToken(token),
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

/** Switches them off for the browser of a session. */
export async function unsubscribeBrowser(db: Database, token: string): Promise<void> {
  await db.deleteFrom('push_subscriptions').where('token_hash', '=', hashToken(token)).execute()
}

/** Whether the browser of a session takes pushes that are encrypted with this key of the forum. */
export async function isSubscribed(db: Database, token: string, serverKey: string): Promise<boolean> {
  const found = await db
    .selectFrom('push_subscriptions')
    .select('id')
    .where('token_hash', '=', hashToken(token))
    .where('server_key', '=', serverKey)
    .executeTakeFirst()
  return found !== undefined
}
