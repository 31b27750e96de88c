import type { GeneratedAlways } from 'kysely'
import type { DefaultTime, OptionalTime } from './columns.ts'

interface PushSubscriptions {
  id: GeneratedAlways<number>
  /** Of its session. */
  token_hash: Buffer
  person_id: number
  endpoint: string
  p256dh: string
  auth: string
  server_key: string
  created_at: DefaultTime
  last_sent_at: OptionalTime
}

/** Browsers that are told what is new. */
export interface PushingTables {
  push_subscriptions: PushSubscriptions
}
