import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'

const now = sql<Date>`now()`

/** The id of a new message (Standard Webhooks 1.0.0, webhook-id), which all its tries have. */
export const NEW_MESSAGE = sql<string>`'msg_' || replace(gen_random_uuid()::text, '-', '')`

/** Plans a test, due now, unless one waits already. */
export async function planTest(write: Write, webhookId: number): Promise<void> {
  const waiting = await write
    .updateTable('webhook_deliveries')
    .set({ due_at: now })
    .where('webhook_id', '=', webhookId)
    .where('what', '=', 'test')
    .where('done_at', 'is', null)
    .executeTakeFirst()
  if (waiting.numUpdatedRows > 0n) return
  await write
    .insertInto('webhook_deliveries')
    .values({ webhook_id: webhookId, message_id: NEW_MESSAGE, what: 'test', due_at: now })
    .execute()
}

/** Has a message of a webhook tried again, now. @returns false: it has none of that number */
export async function sendAgain(write: Write, webhookId: number, deliveryId: number): Promise<boolean> {
  const { numUpdatedRows } = await write
    .updateTable('webhook_deliveries')
    .set({ due_at: now, done_at: null })
    .where('id', '=', deliveryId)
    .where('webhook_id', '=', webhookId)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
