import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import { holder, table } from '../../database/table.ts'

const RETENTION = sql`interval '24 hours'`

export const idempotencyKeys = table(
  'idempotency_keys',
  { person_id: holder },
  { expired: sql`posted_at < now() - ${RETENTION}` },
)

/** A request that says which it is. Hashes are 32 bytes. */
export interface KeyedRequest {
  readonly personId: number
  readonly keyHash: Buffer
  readonly requestHash: Buffer
}

/** 'running': a twin has not ended yet. 'other': the key was of another request. `path`: what was written before. */
export type Known = 'running' | 'other' | { readonly path: string } | null

/** The stored outcome of a request, in the transaction of its write; null: it is the first, and others with the key wait for that transaction. */
export async function knownRequest(
  write: Write,
  { personId, keyHash, requestHash }: KeyedRequest,
): Promise<Known> {
  const lock = keyHash.readBigInt64BE()
  const { rows } = await sql<{ isFirst: boolean }>`
    select pg_try_advisory_xact_lock(${String(lock)}::bigint # ${personId}::bigint) as "isFirst"`.execute(
    write,
  )
  if (rows[0]?.isFirst !== true) return 'running'
  const known = await write
    .selectFrom('idempotency_keys')
    .select(['request_hash', 'path'])
    .where('person_id', '=', personId)
    .where('key_hash', '=', keyHash)
    .where('posted_at', '>', sql<Date>`now() - ${RETENTION}`)
    .executeTakeFirst()
  if (known === undefined) return null
  return known.request_hash.equals(requestHash) ? { path: known.path } : 'other'
}

export async function rememberRequest(
  write: Write,
  { personId, keyHash, requestHash }: KeyedRequest,
  path: string,
): Promise<void> {
  const now = sql<Date>`now()`
  await write
    .insertInto('idempotency_keys')
    .values({ person_id: personId, key_hash: keyHash, request_hash: requestHash, path })
    .onConflict((conflict) =>
      conflict
        .columns(['person_id', 'key_hash'])
        .doUpdateSet({ request_hash: requestHash, path, posted_at: now }),
    )
    .execute()
}
