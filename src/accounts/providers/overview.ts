import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'

/** How providers are used, by their ids; those that nobody uses are not in it. */
export async function findProviderUse(db: Database) {
  const rows = await db
    .selectFrom('linked_accounts')
    .select('provider_id')
    .select([
      sql<number>`count(*)::integer`.as('people'),
      sql<Date | null>`max(last_used_at)`.as('lastUsedAt'),
    ])
    .groupBy('provider_id')
    .execute()
  return new Map(rows.map(({ provider_id: id, ...use }) => [id, use]))
}

/** How many accounts have a confirmed address of one of these domains. */
export async function countAddressesAt(db: Database, domains: readonly string[]): Promise<number> {
  if (domains.length === 0) return 0
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from people
    where email_confirmed_at is not null and split_part(email, '@', 2) = any(${[...domains]}::text[])`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}

/** Names of the admins who can still use a password while a provider is required. */
export async function adminNames(db: Database): Promise<string[]> {
  const rows = await db
    .selectFrom('people')
    .select('display_name')
    .where('is_admin', '=', true)
    .orderBy('id')
    .limit(20)
    .execute()
  return rows.map((row) => row.display_name)
}

export async function testedAt(db: Database, id: number): Promise<Date | null> {
  const row = await db
    .selectFrom('identity_providers')
    .select('tested_at')
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.tested_at ?? null
}
