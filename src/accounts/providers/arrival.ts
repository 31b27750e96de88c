import { sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import { applyClaims, type RoleChange } from '../../rights/claimed-roles.ts'
import { confirmAddress } from '../address/claim.ts'
import { sendConfirmation } from '../address/email-confirmation.ts'
import { type Access, FIRST_ACCESS } from '../identity/access.ts'
import type { Circumstances } from '../identity/letters.ts'
import { lockPerson } from '../identity/lock.ts'
import { createPerson } from '../sign-in/commands.ts'
import { ProviderFailure } from './failure.ts'
import { accessBy, findLinked, insertLinked, markUsed } from './linked-accounts.ts'
import type { Provider } from './provider.ts'
import type { ProviderAccount } from './provider-account.ts'

/** What becomes of somebody whom a provider named. */
export type Arrival =
  | { readonly outcome: 'known'; readonly access: Access; readonly roles: readonly RoleChange[] }
  | {
      readonly outcome: 'created'
      readonly access: Access
      readonly mailbox: NewMailbox
      readonly roles: readonly RoleChange[]
    }
  /** They have no account, or one with their address, which they may link to. */
  | { readonly outcome: 'unlinked' }

/** What a new account has for an address. */
type NewMailbox = 'confirmed' | 'unconfirmed' | 'none'

/** How a new account is made. */
export interface Making {
  /** Where the mail that confirms its address leads. */
  readonly path: string
  /** The name of somebody whose provider tells none that may be shown. */
  readonly fallbackName: string
  readonly circumstances: Circumstances
  /** Whether they chose a new account, though one with their address is there. */
  readonly isChosen: boolean
}

/**
 * Finds the account of somebody whom a provider named, or makes one. No account is found by an address: one that a trusted provider
 * verified leads to the offer to link (`unlinked`), and an account that nobody confirmed is never taken over, nor takes over.
 * @throws ProviderFailure `domain`
 */
export async function arrive(
  db: Database,
  provider: Provider,
  account: ProviderAccount,
  making: Making,
): Promise<Arrival> {
  requireDomain(provider, account)
  return db.transaction().execute(async (write) => {
    await lockSubject(write, account)
    const linked = await findLinked(write, account)
    if (linked !== null) {
      // The version as it is once nobody else changes the account.
      const person = await lockPerson(write, linked.personId)
      await markUsed(write, linked.id, account)
      const accessVersion = person?.accessVersion ?? linked.accessVersion
      const roles = await applyClaims(write, provider.id, linked.personId, account.roleValues ?? [])
      return { outcome: 'known', access: accessBy({ ...linked, accessVersion }, account), roles }
    }
    const mayCreate =
      provider.createsAccounts && (making.isChosen || !(await hasConfirmed(write, provider, account)))
    return mayCreate ? create(write, provider, account, making) : { outcome: 'unlinked' }
  })
}

/** @throws ProviderFailure when the address is of no domain that is allowed, or is not known to be theirs */
function requireDomain({ allowedDomains }: Provider, { email, isEmailVerified }: ProviderAccount): void {
  if (allowedDomains.length === 0) return
  if (email === null || !isEmailVerified || !allowedDomains.includes(domainOf(email)))
    throw new ProviderFailure('domain')
}

/** Whether an address counts as confirmed: verified there, and its domain is one for which the operator trusts the provider. */
export function isTrusted(
  { trustsAddresses, allowedDomains }: Provider,
  { email, isEmailVerified }: ProviderAccount,
): boolean {
  return trustsAddresses && isEmailVerified && email !== null && allowedDomains.includes(domainOf(email))
}

function domainOf(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1)
}

/** Two browsers that come back with one new account at the same time wait for each other. */
async function lockSubject(write: Write, { issuer, subject }: ProviderAccount): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`linked account ${issuer} ${subject}`}, 0))`.execute(
    write,
  )
}

/** Whether an account with that address is to be offered: somebody confirmed it, and the provider may tell us of them. */
async function hasConfirmed(write: Write, provider: Provider, account: ProviderAccount): Promise<boolean> {
  if (!isTrusted(provider, account)) return false
  const row = await write
    .selectFrom('people')
    .select('id')
    .where('email', '=', account.email)
    .where('email_confirmed_at', 'is not', null)
    .executeTakeFirst()
  return row !== undefined
}

async function create(
  write: Write,
  provider: Provider,
  account: ProviderAccount,
  { path, fallbackName, circumstances }: Making,
): Promise<Arrival> {
  const person = {
    displayName: account.name ?? fallbackName,
    passwordHash: null,
    isNewcomer: true,
  }
  const withAddress =
    account.email === null ? null : await createPerson(write, { ...person, email: account.email })
  // The address is somebody else's here: the account begins without one.
  const personId = withAddress ?? (await createPerson(write, { ...person, email: null }))
  if (personId === null) throw new Error('an account without an address has no conflict')
  const linkedAccountId = await insertLinked(write, personId, provider.id, account)
  if (linkedAccountId === null) throw new Error('the subject is locked and was not linked')
  const { email } = account
  const mailbox =
    withAddress === null || email === null
      ? 'none'
      : isTrusted(provider, account)
        ? 'confirmed'
        : 'unconfirmed'
  if (mailbox === 'confirmed' && email !== null) await confirmAddress(write, personId, email)
  if (mailbox === 'unconfirmed' && email !== null)
    await sendConfirmation(
      write,
      { personId, email, isConfirmed: false, language: null },
      circumstances,
      path,
    )
  const access = { personId, accessVersion: FIRST_ACCESS, by: { linkedAccountId, sid: account.sid } }
  const roles = await applyClaims(write, provider.id, personId, account.roleValues ?? [])
  return { outcome: 'created', access, mailbox, roles }
}
