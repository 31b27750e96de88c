import type { Database, Write } from '../../database/schema.ts'
import { writeMail } from '../../mail/write-mail.ts'
import { claimAccount } from '../address/claim.ts'
import { type Circumstances, newPasswordLetter } from '../identity/letters.ts'
import { lockPerson } from '../identity/lock.ts'
import { askForMailLink, type UsedMailLink, useMailLink } from '../identity/mail-links.ts'
import { findAccount } from '../identity/queries.ts'
import { setPassword } from './commands.ts'

/** Sends the account of an address a link to a new password; does nothing when there is none, or when it got five within the hour. */
export async function sendNewPasswordLink(
  db: Database,
  email: string,
  circumstances: Circumstances,
): Promise<void> {
  const account = await findAccount(db, email)
  if (account === null) return
  await db.transaction().execute(async (write) => {
    const person = await lockPerson(write, account.id)
    if (person?.email !== email) return
    const { id: personId, isConfirmed, language } = person
    const token = await askForMailLink(write, { personId, purpose: 'new-password', email })
    if (token === null) return
    await writeMail(
      write,
      newPasswordLetter(token, { personId, email, isConfirmed, language }, circumstances),
    )
  })
}

/**
 * Sets the password of the account a link was sent to, and so confirms its address. All its sessions and links end.
 * @returns whose it is; null when the link is no good (any more), or the account has another address by now
 */
export async function setForgottenPassword(
  db: Database,
  token: string,
  passwordHash: string,
  circumstances: Circumstances,
): Promise<number | null> {
  return db.transaction().execute(async (write) => {
    const link = await useMailLink(write, ['new-password'], token)
    if (link === null || !(await openAccount(write, link))) return null
    await setPassword(write, link.person, passwordHash, circumstances)
    return link.personId
  })
}

/** @returns false when the account has another address by now */
async function openAccount(write: Write, { person, email }: UsedMailLink): Promise<boolean> {
  if (person.isConfirmed) return person.email === email
  return (await claimAccount(write, person, email)) !== null
}
