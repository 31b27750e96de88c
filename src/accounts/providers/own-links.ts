import type { Database } from '../../database/schema.ts'

/** An account at a provider that opens a person's own, as they see it. */
export interface OwnLink {
  readonly id: number
  readonly providerId: number
  /** Address or name there; null: it told none. */
  readonly accountName: string | null
  readonly linkedAt: Date
  readonly lastUsedAt: Date | null
}

export async function listOwnLinks(db: Database, personId: number): Promise<OwnLink[]> {
  return db
    .selectFrom('linked_accounts')
    .select(['id', 'provider_id as providerId', 'account_name as accountName'])
    .select(['linked_at as linkedAt', 'last_used_at as lastUsedAt'])
    .where('person_id', '=', personId)
    .orderBy('id')
    .execute()
}
