import type { Database, Write } from '../../database/schema.ts'
import { translatorOf } from '../../messages/catalogue.ts'
import { freeAddress, takeAddress } from '../address/address.ts'
import { confirmAddress } from '../address/claim.ts'
import { closeAccount } from '../deletion/leave.ts'
import type { Circumstances } from '../identity/letters.ts'
import { type LockedPerson, lockPerson } from '../identity/lock.ts'
import { IS_EMPTY } from '../identity/unconfirmed.ts'
import { findLinked } from './linked-accounts.ts'
import { isTrusted } from './new-account.ts'
import type { Provider } from './provider.ts'
import type { ProviderAccount } from './provider-account.ts'

/** Whether an account with that address is to be offered: somebody confirmed it, and the provider may tell us of them. */
export async function hasConfirmed(
  db: Database | Write,
  provider: Provider,
  account: ProviderAccount,
): Promise<boolean> {
  if (!isTrusted(provider, account)) return false
  const row = await db
    .selectFrom('people')
    .select('id')
    .where('email', '=', account.email)
    .where('email_confirmed_at', 'is not', null)
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Whether an account that the provider opens is an empty one beside one with the address, which it made before its addresses were
 * trusted: that one is offered at the next sign-in.
 */
export async function isBesideAnother(
  db: Database | Write,
  provider: Provider,
  personId: number,
  account: ProviderAccount,
): Promise<boolean> {
  if (!(await hasConfirmed(db, provider, account))) return false
  const row = await db
    .selectFrom('people')
    .select('id')
    .where('id', '=', personId)
    .where(IS_EMPTY)
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Confirms the address of somebody who signs in, if its provider is trusted by now, or gives them one that
 * nobody has, or only claimed. The person is locked.
 */
export async function applyTrust(
  write: Write,
  provider: Provider,
  { id, email, isConfirmed }: LockedPerson,
  account: ProviderAccount,
): Promise<void> {
  if (account.email === null || isConfirmed || !isTrusted(provider, account)) return
  if (email !== null) return void (await confirmAddress(write, id, account.email))
  await freeAddress(write, account.email)
  const owner = await write
    .selectFrom('people')
    .select('id')
    .where('email', '=', account.email)
    .executeTakeFirst()
  if (owner === undefined) await takeAddress(write, { personId: id, email: account.email, squatterId: null })
}

/** Closes the empty account that an account there opens, for the owner of its address to link it to their own. */
export async function closeEmpty(
  write: Write,
  provider: Provider,
  own: LockedPerson,
  account: ProviderAccount,
  where: Circumstances,
): Promise<void> {
  const linked = await findLinked(write, account)
  if (linked === null || linked.personId === own.id || !own.isConfirmed || own.email !== account.email) return
  const empty = await lockPerson(write, linked.personId)
  if (empty === null || !(await isBesideAnother(write, provider, empty.id, account))) return
  const formerName = translatorOf(where.language)('leaving.formerName')
  await closeAccount(write, empty, { posts: 'keep', formerName }, where)
}
