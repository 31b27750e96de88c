import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import type { SecretKeys } from '../../secrets/keys.ts'
import { SECRET } from '../../testing/app.ts'
import type { WebhookKind } from './kinds.ts'
import { aWebhook } from './testing.ts'

/** Where nobody receives anything. */
export const RECEIVER = 'https://receiver.example/hooks/a-long-secret-path-of-theirs'

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
  const told = kind === 'standard' ? { types: ['question.created'] } : { chat: ['new'] }
  const id = await aWebhook(db, {
    url: address,
    owner: { id: ownerId },
    course_id: courseId,
    kind,
    keys,
    ...told,
  })
  await sql`insert into webhook_deliveries (id, webhook_id, message_id, what, due_at, tries, tried_at, outcome, done_at)
    overriding system value values
    (${id}, ${id}, ${`msg_test_${id}`}, 'test', now(), 1, now(), '204', now())`.execute(db)
  // The next delivery has a number of its own.
  await sql`select setval(pg_get_serial_sequence('webhook_deliveries', 'id'),
    greatest(${id} + 1000, (select max(id) from webhook_deliveries)))`.execute(db)
  return id
}
