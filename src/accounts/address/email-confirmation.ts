import type { Database, Write } from '../../database/schema.ts'
import { writeMail } from '../../mail/write-mail.ts'
import { type Addressee, type Circumstances, confirmationLetter } from '../identity/letters.ts'
import { lockPerson } from '../identity/lock.ts'
import { askForMailLink, makeMailLink, type UsedMailLink, useMailLink } from '../identity/mail-links.ts'
import { isAddressTaken } from './address.ts'
import { claimAccount, confirmAddress } from './claim.ts'
import { changeEmail } from './email-change.ts'

/** Links whose use shows that a mailbox is one's own. */
export const CONFIRMING = ['confirm-email', 'change-email'] as const

/** A person's address, and whether it is known to be theirs. */
export interface Mailbox {
  /** null: the account has no address. */
  readonly email: string | null
  readonly isConfirmed: boolean
}

export async function findMailbox(db: Database, personId: number): Promise<Mailbox> {
  const row = await db
    .selectFrom('people')
    .select(['email', 'email_confirmed_at'])
    .where('id', '=', personId)
    .executeTakeFirstOrThrow()
  return { email: row.email, isConfirmed: row.email_confirmed_at !== null }
}

/**
 * Sends a link that confirms the account's address.
 * @param nextPath where confirming leads, a path of ours
 * @returns false when it got five of them within the hour
 */
export async function sendConfirmation(
  write: Write,
  to: Addressee & { readonly personId: number },
  circumstances: Circumstances,
  nextPath: string,
): Promise<boolean> {
  const { personId, email } = to
  await lockPerson(write, personId)
  const token = await askForMailLink(write, { personId, purpose: 'confirm-email', email, nextPath })
  if (token === null) return false
  await writeMail(write, confirmationLetter(token, to, circumstances))
  return true
}

/** What became of an address that was to be confirmed. */
export type Confirmation =
  | { readonly outcome: 'confirmed'; readonly personId: number; readonly nextPath: string | null }
  /** Somebody else may have created the account: all its ways in have ended, and this token sets a new password. */
  | { readonly outcome: 'claimed'; readonly personId: number; readonly newPasswordToken: string }
  /** The link is no good (any more), or the new address is somebody else's: then it still works, should they give it up. */
  | { readonly outcome: 'dead' }

/**
 * Confirms the address of a link. Opening a mailbox does not show who created the account, as anybody can sign up under
 * somebody else's address: unless the confirmer has the account as well, the account's ways in end, so that the mailbox's
 * owner alone has it. A link to a new address of an account works for its holder only.
 * @param isHolder whether the confirmer is signed in to the account, or knows its password
 */
export async function confirmEmail(
  db: Database,
  token: string,
  isHolder: boolean,
  circumstances: Circumstances,
): Promise<Confirmation> {
  const purposes = isHolder ? CONFIRMING : (['confirm-email'] as const)
  try {
    return await db.transaction().execute(async (write) => {
      const link = await useMailLink(write, purposes, token)
      if (link === null) return DEAD
      if (link.purpose === 'change-email')
        return {
          outcome: 'confirmed',
          personId: await changeEmail(write, link, circumstances),
          nextPath: null,
        }
      return isHolder || link.person.isConfirmed ? confirmHolder(write, link) : claim(write, link)
    })
  } catch (error) {
    if (isAddressTaken(error)) return DEAD
    throw error
  }
}

const DEAD = { outcome: 'dead' } as const

async function confirmHolder(
  write: Write,
  { personId, email, nextPath }: UsedMailLink,
): Promise<Confirmation> {
  return (await confirmAddress(write, personId, email)) ? { outcome: 'confirmed', personId, nextPath } : DEAD
}

async function claim(write: Write, { person, email }: UsedMailLink): Promise<Confirmation> {
  const personId = person.id
  if ((await claimAccount(write, person, email)) === null) return DEAD
  const newPasswordToken = await makeMailLink(write, { personId, purpose: 'new-password', email })
  return { outcome: 'claimed', personId, newPasswordToken }
}
