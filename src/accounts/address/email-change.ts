import type { Database, Write } from '../../database/schema.ts'
import { writeMail } from '../../mail/write-mail.ts'
import type { InSession } from '../identity/in-session.ts'
import { addressChangedLetter, type Circumstances, newAddressLetter } from '../identity/letters.ts'
import { lockSignedIn } from '../identity/lock.ts'
import { askForMailLink, endMailLinks, makeMailLink, type UsedMailLink } from '../identity/mail-links.ts'
import { findAccount } from '../identity/queries.ts'
import { takeAddress } from './address.ts'
import { tellOwner } from './address-taken.ts'

/**
 * Sends a link to the new address; the account has it when the link is used. An address that has an account gets a letter that
 * says so instead, and nobody else learns of it.
 * @returns false when the account asked five times within the hour: then the last link still works
 * @throws NeedsSignIn when the session has ended meanwhile
 */
export async function askForEmailChange(
  db: Database,
  session: InSession,
  email: string,
  circumstances: Circumstances,
): Promise<boolean> {
  const isTaken = (await findAccount(db, email)) !== null
  const isSent = await db
    .transaction()
    .execute((write) => makeChangeLink(write, session, email, isTaken ? null : circumstances))
  // Separately: a transaction that locks two people at once might deadlock with another one.
  if (isSent && isTaken) await db.transaction().execute((write) => tellOwner(write, email, circumstances))
  return isSent
}

/** One change at a time is asked for. @param letter null: the address has an owner, and the link is only counted */
async function makeChangeLink(
  write: Write,
  { personId, sessionToken }: InSession,
  email: string,
  letter: Circumstances | null,
): Promise<boolean> {
  const { language } = await lockSignedIn(write, personId, sessionToken)
  const token = await askForMailLink(write, { personId, purpose: 'change-email', email })
  if (token === null) return false
  await endMailLinks(write, personId, ['change-email'], token)
  const to = { personId, email, isConfirmed: false, language }
  if (letter !== null) await writeMail(write, newAddressLetter(token, to, letter))
  return true
}

/**
 * Gives an account the address of a link that was used. Links sent to the old one end; it is told, with the way back.
 * @returns whose
 * @throws AddressTaken when the address has become somebody else's
 */
export async function changeEmail(
  write: Write,
  { person, email }: UsedMailLink,
  circumstances: Circumstances,
): Promise<number> {
  const { id: personId, email: before, isConfirmed, language } = person
  // Before the address changes: the link says whether the one before was confirmed.
  const undo =
    before === null
      ? null
      : await makeMailLink(write, { personId, purpose: 'undo-email-change', email: before })
  await takeAddress(write, personId, email)
  await write.deleteFrom('sign_in_links').where('person_id', '=', personId).execute()
  await endMailLinks(write, personId, ['new-password', 'confirm-email', 'change-email'])
  if (before !== null && undo !== null)
    await writeMail(
      write,
      addressChangedLetter(undo, email, { personId, email: before, isConfirmed, language }, circumstances),
    )
  return personId
}
