import { sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import { missed, owner, table } from '../../database/table.ts'
import type { Access } from '../identity/access.ts'
import type { ProviderAccount } from './claims.ts'

export const linkedAccounts = table(
  'linked_accounts',
  { person_id: missed(owner) },
  { own: { parents: { provider_id: 'identity_providers' }, ends: true } },
)

/** Finds the person linked to an account at a provider, by issuer and subject, never by an address; null: no one. */
export async function findLinked(
  db: Database | Write,
  { issuer, subject }: Pick<ProviderAccount, 'issuer' | 'subject'>,
) {
  const row = await db
    .selectFrom('linked_accounts as linked')
    .innerJoin('people as person', 'person.id', 'linked.person_id')
    .select(['linked.id', 'linked.person_id as personId', 'person.access_version as accessVersion'])
    .where('linked.issuer', '=', issuer)
    .where('linked.subject', '=', subject)
    .executeTakeFirst()
  return row ?? null
}
type LinkedAccount = NonNullable<Awaited<ReturnType<typeof findLinked>>>

/** Links an account to a person, who is locked. @returns its id; null: somebody has it, or the person has one of this provider */
export async function insertLinked(
  write: Write,
  personId: number,
  providerId: number,
  account: ProviderAccount,
): Promise<number | null> {
  const row = await write
    .insertInto('linked_accounts')
    .values({
      person_id: personId,
      provider_id: providerId,
      issuer: account.issuer,
      subject: account.subject,
      account_name: nameOf(account),
      last_used_at: sql<Date>`now()`,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  return row?.id ?? null
}

/** Notes that somebody signed in with it, and what it is called by now. */
export async function markUsed(write: Write, id: number, account: ProviderAccount): Promise<void> {
  await write
    .updateTable('linked_accounts')
    .set({ last_used_at: sql<Date>`now()`, account_name: nameOf(account) })
    .where('id', '=', id)
    .execute()
}

/** The values that a session opened by a linked account begins with. */
export function accessBy(
  { id, personId, accessVersion }: LinkedAccount,
  { sid }: ProviderAccount,
  hasShownFactor: boolean,
): Access {
  return { personId, accessVersion, by: { linkedAccountId: id, sid, hasShownFactor } }
}

/** How its owner knows an account there. */
function nameOf({ email, name }: ProviderAccount): string | null {
  return email ?? name
}

/** Accounts at providers that open a person's own, as they see them. `accountName`: address or name there; null: it told none. */
export function listOwnLinks(db: Database, personId: number) {
  return db
    .selectFrom('linked_accounts')
    .select(['id', 'provider_id as providerId', 'account_name as accountName'])
    .select(['linked_at as linkedAt', 'last_used_at as lastUsedAt'])
    .where('person_id', '=', personId)
    .orderBy('id')
    .execute()
}
export type OwnLink = Awaited<ReturnType<typeof listOwnLinks>>[number]
