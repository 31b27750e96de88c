import type { Database } from '../../database/schema.ts'
import type { SecretKeys } from '../../secrets/keys.ts'
import { open, reseal } from '../../secrets/sealed.ts'
import { SECRET_PURPOSE } from './provider.ts'

/** Seals secrets of clients with the first key that are sealed with another one. @returns how many */
export async function renewClientSecrets(db: Database, keys: SecretKeys): Promise<number> {
  let count = 0
  for (const { id, sealed } of await sealedSecrets(db)) {
    const renewed = reseal(keys, SECRET_PURPOSE, id, sealed)
    if (renewed === null) continue
    const { numUpdatedRows } = await db
      .updateTable('identity_providers')
      .set({ client_secret: renewed })
      .where('id', '=', id)
      .where('client_secret', '=', sealed)
      .executeTakeFirst()
    count += Number(numUpdatedRows)
  }
  return count
}

/** Names of the providers whose secret none of the keys opens, so that nobody can sign in with them. @param keys null: there are none */
export async function unreadableProviders(db: Database, keys: SecretKeys | null): Promise<string[]> {
  const rows = await sealedSecrets(db)
  return rows
    .filter(({ id, sealed }) => keys === null || open(keys, SECRET_PURPOSE, id, sealed) === null)
    .map(({ name }) => name)
}

async function sealedSecrets(db: Database) {
  const rows = await db
    .selectFrom('identity_providers')
    .select(['id', 'name', 'client_secret'])
    .where('client_secret', 'is not', null)
    .orderBy('id')
    .execute()
  return rows.flatMap(({ id, name, client_secret: sealed }) =>
    sealed === null ? [] : [{ id, name, sealed }],
  )
}
