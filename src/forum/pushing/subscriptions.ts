import { ECDH } from 'node:crypto'
import { isIP } from 'node:net'
import { sql } from 'kysely'
import { z } from 'zod'
import type { InSession } from '../../accounts/identity/own-account.ts'
import type { Database } from '../../database/schema.ts'
import { apart, holder, table } from '../../database/table.ts'
import { ownPart } from '../../kernel/own-data.ts'
import type { PageContext } from '../../web/page.ts'
import { hashToken } from '../../web/tokens.ts'
import { readPushKeys } from './push-service.ts'

export const pushSubscriptions = table('push_subscriptions', { person_id: apart(holder) })

const MAX_ENDPOINT = 1000
/** Some browsers pad base64url. */
const unpadded = (value: string) => value.replace(/={1,2}$/, '')

/**
 * Where a browser takes pushes, and the keys that encrypt them (RFC 8291), in base64url. Where its name leads is checked as it is used.
 */
export const subscriptionSchema = z.object({
  endpoint: z.string().max(MAX_ENDPOINT).refine(isEndpoint),
  p256dh: z
    .string()
    .transform(unpadded)
    .refine((key) => /^[\w-]{87}$/.test(key) && isPoint(key)),
  auth: z
    .string()
    .transform(unpadded)
    .refine((secret) => /^[\w-]{22}$/.test(secret)),
})

export type Subscription = z.output<typeof subscriptionSchema>

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

/** An https address by name, without port, name or password: push services have no others. */
function isEndpoint(value: string): boolean {
  if (!URL.canParse(value)) return false
  const { protocol, hostname, port, username, password, href } = new URL(value)
  return (
    protocol === 'https:' &&
    [port, username, password].every((part) => part === '') &&
    isIP(hostname) === 0 &&
    /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/.test(hostname) &&
    href === value
  )
}

/** Whether a key is on the curve: with another one nothing can be encrypted. */
function isPoint(key: string): boolean {
  try {
    ECDH.convertKey(key, 'prime256v1', 'base64url', 'hex', 'uncompressed')
    return true
  } catch {
    return false
  }
}
