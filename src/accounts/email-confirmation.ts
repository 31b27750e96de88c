import { sql } from 'kysely'
import type { Database, Write } from '../database/schema.ts'
import { writeMail } from '../mail/write-mail.ts'
import { isAddressTaken } from './address.ts'
import { changeEmail } from './email-change.ts'
import { type Addressee, type Circumstances, confirmationLetter } from './letters.ts'
import { lockPerson } from './lock.ts'
import { askForMailLink, type UsedMailLink, useMailLink } from './mail-links.ts'

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

/** Sends a link that confirms the account's address. @returns false when it got five of them within the hour */
export async function sendConfirmation(
  write: Write,
  to: Addressee & { readonly personId: number },
  circumstances: Circumstances,
): Promise<boolean> {
  const { personId, email } = to
  await lockPerson(write, personId)
  const token = await askForMailLink(write, { personId, purpose: 'confirm-email', email })
  if (token === null) return false
  await writeMail(write, confirmationLetter(token, to, circumstances))
  return true
}

/**
 * Notes that a link's mailbox is its account's; that of a link to a new address becomes its account's.
 * @returns whose; null when the link is no good (any more), or the new address has become somebody else's: then it still works,
 * should they give it up
 */
export async function confirmEmail(
  db: Database,
  token: string,
  circumstances: Circumstances,
): Promise<number | null> {
  try {
    return await db.transaction().execute(async (write) => {
      const link = await useMailLink(write, CONFIRMING, token)
      if (link === null) return null
      if (link.purpose === 'change-email') return changeEmail(write, link, circumstances)
      return (await noteConfirmed(write, link)) ? link.personId : null
    })
  } catch (error) {
    if (isAddressTaken(error)) return null
    throw error
  }
}

/** Whoever used a link has opened the mailbox it went to. @returns false when the account has another address by now */
export async function noteConfirmed(write: Write, { person, email }: UsedMailLink): Promise<boolean> {
  const confirmed = await write
    .updateTable('people')
    .set({ email_confirmed_at: sql`coalesce(email_confirmed_at, now())` })
    .where('id', '=', person.id)
    .where('email', '=', email)
    .executeTakeFirst()
  return confirmed.numUpdatedRows === 1n
}
