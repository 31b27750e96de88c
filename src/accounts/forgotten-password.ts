import type { Database, Write } from '../database/schema.ts'
import { writeMail } from '../mail/write-mail.ts'
import { deleteFactors } from '../second-factor/factors.ts'
import { setPassword } from './commands.ts'
import { noteConfirmed } from './email-confirmation.ts'
import { type Circumstances, newPasswordLetter } from './letters.ts'
import { lockPerson } from './lock.ts'
import { askForMailLink, endMailLinks, useMailLink } from './mail-links.ts'
import { findAccount } from './queries.ts'

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
    const { id: personId, language } = person
    const token = await askForMailLink(write, { personId, purpose: 'new-password', email })
    if (token === null) return
    await writeMail(write, newPasswordLetter(token, { personId, email, language }, circumstances))
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
    if (link === null || !(await noteConfirmed(write, link))) return null
    if (!link.person.isConfirmed) await removeStrangersFactor(write, link.personId)
    await setPassword(write, link.person, passwordHash, circumstances)
    return link.personId
  })
}

/**
 * Until now nobody had shown that the mailbox is theirs: the account may have been made by a stranger, who waits for the
 * mailbox's owner to take it up. What they set up beside the password goes.
 */
async function removeStrangersFactor(write: Write, personId: number): Promise<void> {
  await deleteFactors(write, personId)
  await endMailLinks(write, personId, ['undo-second-factor'])
}
