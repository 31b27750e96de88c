import { type RawBuilder, sql } from 'kysely'

/**
 * Whether someone can sign in to an account: they haven't left, and it has an address, an account at a provider or a passkey. An
 * account without an address may be in use, or imported with posts and nobody's.
 * @param alias of `people` in the query
 */
export function canSignIn(alias: 'person' | 'account' | 'asker' = 'person'): RawBuilder<boolean> {
  const id = sql.ref(`${alias}.id`)
  return sql<boolean>`(${sql.ref(`${alias}.left_at`)} is null and (${sql.ref(`${alias}.email`)} is not null
    or exists (select from linked_accounts as linked where linked.person_id = ${id})
    or exists (select from passkeys as passkey where passkey.person_id = ${id})))`
}
