import type { Database, Write } from '../../database/schema.ts'
import { translatorOf } from '../../messages/catalogue.ts'
import { confirmAddress, freeAddress, takeAddress } from '../address/address.ts'
import { sendConfirmation } from '../address/email-confirmation.ts'
import { closeAccount } from '../deletion/leave.ts'
import { type Access, FIRST_ACCESS } from '../identity/access.ts'
import type { Circumstances } from '../identity/letters.ts'
import { type LockedPerson, lockPerson } from '../identity/lock.ts'
import { isEmpty } from '../identity/unconfirmed.ts'
import { createPerson } from '../sign-in/sign-up.ts'
import type { ProviderAccount } from './claims.ts'
import { accessBy, findLinked, insertLinked } from './linked-accounts.ts'
import type { Provider } from './provider.ts'

/** Whether an account with that address is to be offered: somebody confirmed it, and the provider may tell us of them. */
export async function hasConfirmed(db: Database | Write, provider: Provider, account: ProviderAccount) {
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
 * Whether the provider opens an empty account, made before its addresses were trusted, while another account
 * has the address: that other one is offered at the next sign-in.
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
    .where(isEmpty())
    .executeTakeFirst()
  return row !== undefined
}

/** Confirms a locked person's address by a trusted provider, or gives them one that nobody has confirmed. */
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

/** What a new account has for an address. `freed`: a confirmed one, which another account had only claimed. */
export type NewMailbox = 'confirmed' | 'freed' | 'unconfirmed' | 'none'

export interface Making {
  /** Where the mail that confirms its address leads. */
  readonly path: string
  /** The name of somebody whose provider tells none that may be shown. */
  readonly fallbackName: string
  /** Whether they chose a new account, though one with their address is there. */
  readonly isChosen: boolean
  readonly hasShownFactor: boolean
}

type Told = Pick<ProviderAccount, 'email' | 'isEmailVerified'>

/** Whether an address counts as confirmed: verified there, and its domain is one for which the operator trusts the provider. */
function isTrusted({ trustsAddresses, allowedDomains }: Provider, told: Told): boolean {
  return trustsAddresses && verifiedDomain(told, allowedDomains) !== null
}

/** The domain of an address that the provider verified, if it is one of these; null otherwise. */
export function verifiedDomain({ email, isEmailVerified }: Told, domains: readonly string[]): string | null {
  const domain = email === null ? null : email.slice(email.lastIndexOf('@') + 1)
  return domain !== null && isEmailVerified && domains.includes(domain) ? domain : null
}

/**
 * Makes the account of somebody whom a provider named, and links it. Where the address is somebody else's
 * here, it begins without one; an account that only claimed it loses it to an owner whom a trusted provider
 * verified.
 */
export async function createAccount(
  write: Write,
  provider: Provider,
  account: ProviderAccount,
  { path, fallbackName, hasShownFactor }: Making,
  circumstances: Circumstances,
): Promise<{ readonly access: Access; readonly mailbox: NewMailbox }> {
  const { email } = account
  const isOwner = isTrusted(provider, account)
  const isFreed = isOwner && email !== null && (await freeAddress(write, email))
  const person = { displayName: account.name ?? fallbackName, passwordHash: null, isNewcomer: true }
  const withAddress = email === null ? null : await createPerson(write, { ...person, email })
  const personId = withAddress ?? (await createPerson(write, { ...person, email: null }))
  if (personId === null) throw new Error('an account without an address has no conflict')
  const id = await insertLinked(write, personId, provider.id, account)
  if (id === null) throw new Error('the subject is locked and was not linked')
  const access = accessBy({ id, personId, accessVersion: FIRST_ACCESS }, account, hasShownFactor)
  if (withAddress === null || email === null) return { access, mailbox: 'none' }
  if (isOwner) {
    await confirmAddress(write, personId, email)
    return { access, mailbox: isFreed ? 'freed' : 'confirmed' }
  }
  const to = { id: personId, email, isConfirmed: false, language: null }
  await sendConfirmation(write, to, circumstances, path)
  return { access, mailbox: 'unconfirmed' }
}
