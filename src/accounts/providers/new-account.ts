import type { Write } from '../../database/schema.ts'
import { freeAddress } from '../address/address.ts'
import { confirmAddress } from '../address/claim.ts'
import { sendConfirmation } from '../address/email-confirmation.ts'
import { type Access, FIRST_ACCESS } from '../identity/access.ts'
import type { Circumstances } from '../identity/letters.ts'
import { createPerson } from '../sign-in/commands.ts'
import { accessBy, insertLinked } from './linked-accounts.ts'
import type { Provider } from './provider.ts'
import type { ProviderAccount } from './provider-account.ts'

/** What a new account has for an address. `freed`: a confirmed one, which another account had only claimed. */
export type NewMailbox = 'confirmed' | 'freed' | 'unconfirmed' | 'none'

/** How a new account is made. */
export interface Making {
  /** Where the mail that confirms its address leads. */
  readonly path: string
  /** The name of somebody whose provider tells none that may be shown. */
  readonly fallbackName: string
  /** Whether they chose a new account, though one with their address is there. */
  readonly isChosen: boolean
  /** Whether the provider reports that it asked for two factors. */
  readonly hasShownFactor: boolean
}

type Told = Pick<ProviderAccount, 'email' | 'isEmailVerified'>

/** Whether an address counts as confirmed: verified there, and its domain is one for which the operator trusts the provider. */
export function isTrusted({ trustsAddresses, allowedDomains }: Provider, told: Told): boolean {
  return trustsAddresses && verifiedDomain(told, allowedDomains) !== null
}

/** The domain of an address that the provider verified, if it is one of these; null otherwise. */
export function verifiedDomain({ email, isEmailVerified }: Told, domains: readonly string[]): string | null {
  const domain = email === null ? null : email.slice(email.lastIndexOf('@') + 1)
  return domain !== null && isEmailVerified && domains.includes(domain) ? domain : null
}

/**
 * Makes the account of somebody whom a provider named, and links it. Where the address is somebody else's here, it begins without one; an
 * account that only claimed it loses it to an owner whom a trusted provider verified.
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
  const to = { personId, email, isConfirmed: false, language: null }
  await sendConfirmation(write, to, circumstances, path)
  return { access, mailbox: 'unconfirmed' }
}
