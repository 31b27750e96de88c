import { sql } from 'kysely'
import type { Database, Row, Write } from '../../database/schema.ts'
import { type Actor, may, type Place } from '../../kernel/rights/rights.ts'
import type { SecretKeys } from '../../secrets/keys.ts'
import { open } from '../../secrets/sealed.ts'
import { addressRule } from '../../web/guarded-fetch.ts'

// Stands in for what is made elsewhere: webhook.ts, address.ts and the right `manage-webhooks`.

export type SealedWebhook = Pick<
  Row<'webhooks'>,
  'id' | 'address' | 'secret' | 'former_secret' | 'former_secret_until'
>

export function openWebhook(keys: SecretKeys, row: SealedWebhook) {
  const opened = (sealed: Buffer | null) => (sealed === null ? null : open(keys, 'webhook', row.id, sealed))
  const isFormerValid = row.former_secret_until !== null && row.former_secret_until > new Date()
  const secrets = [opened(row.secret), isFormerValid ? opened(row.former_secret) : null]
  const address = opened(row.address)
  if (address === null) throw new Error('the address cannot be opened')
  return { address, secrets: secrets.filter((secret) => secret !== null) }
}

export async function stopWebhook(
  write: Write | Database,
  id: number,
  why: 'owner' | 'failing' | 'gone',
): Promise<void> {
  const stopped = { stopped: why, stopped_at: sql<Date>`now()` }
  await write.updateTable('webhooks').set(stopped).where('id', '=', id).where('stopped', 'is', null).execute()
}

export function webhookAddressRule(_config: object) {
  const [loopbackHost = null] = /^[^:]+/.exec(process.env.WEBHOOK_HOSTS ?? '') ?? []
  return addressRule({ privateHosts: [], loopbackHost })
}

/** @param place of its course; null: it is of the forum */
export function mayHaveWebhook(owner: Actor, place: Place | null): boolean {
  return place === null ? may(owner, 'decide-settings') : may(owner, 'manage', place)
}
