import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import type { SecretKeys } from '../../secrets/keys.ts'
import { SECRET } from '../../testing/app.ts'
import type { WebhookKind } from './kinds.ts'
import { sealedAddress, sealedSecret } from './webhook.ts'

/** Where nobody receives anything. */
export const RECEIVER = 'https://receiver.example/hooks/a-long-secret-path-of-theirs'
export const SIGNING_SECRET = `whsec_${Buffer.alloc(32, 'k').toString('base64')}`

/** A webhook that is on, with a delivery of the same number that was made. */
export async function addWebhookRow(
  db: Database,
  {
    courseId = null,
    ownerId,
    kind = 'standard',
    address = RECEIVER,
    keys = [SECRET],
  }: {
    readonly courseId?: number | null
    readonly ownerId: number
    readonly kind?: WebhookKind
    readonly address?: string
    readonly keys?: SecretKeys
  },
): Promise<number> {
  const isProgram = kind === 'standard'
  const { id } = await db
    .insertInto('webhooks')
    .values({
      ...{ course_id: courseId, owner_id: ownerId, kind, address: Buffer.of(), shown_address: '' },
      secret: isProgram ? Buffer.of() : null,
      ...(isProgram ? { types: ['question.created'] } : { chat: ['new'] }),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const sealed = {
    ...sealedAddress(keys, id, new URL(address)),
    secret: isProgram ? sealedSecret(keys, id, SIGNING_SECRET) : null,
  }
  await db.updateTable('webhooks').set(sealed).where('id', '=', id).execute()
  await sql`insert into webhook_deliveries (id, webhook_id, message_id, what, due_at, tries, tried_at, outcome, done_at)
    overriding system value values (${id}, ${id}, ${`msg_test_${id}`}, 'test', now(), 1, now(), '204', now())`.execute(
    db,
  )
  // The next delivery has a number of its own.
  await sql`select setval(pg_get_serial_sequence('webhook_deliveries', 'id'), greatest(${id} + 1000, (select max(id) from webhook_deliveries)))`.execute(
    db,
  )
  return id
}
