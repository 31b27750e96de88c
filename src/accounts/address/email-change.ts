import type { Write } from '../../database/schema.ts'
import { writeMail } from '../../mail/write-mail.ts'
import { addressChangedLetter, type Circumstances } from '../identity/letters.ts'
import { endMailLinks, makeMailLink } from '../identity/mail-links.ts'
import { type LinkToAddress, takeAddress } from './address.ts'

/**
 * Gives an account the address of a link that was used. Links sent to the old one end; it is told, with the way back.
 * @returns whose
 * @throws AddressTaken when the address has become somebody else's
 */
export async function changeEmail(
  write: Write,
  link: LinkToAddress,
  circumstances: Circumstances,
): Promise<number> {
  const { person, email } = link
  const { id: personId, email: before, isConfirmed, language } = person
  // Before the address changes: the link says whether the one before was confirmed.
  const undo =
    before === null
      ? null
      : await makeMailLink(write, { personId, purpose: 'undo-email-change', email: before })
  await takeAddress(write, link)
  await write.deleteFrom('sign_in_links').where('person_id', '=', personId).execute()
  await endMailLinks(write, personId, ['new-password', 'confirm-email', 'change-email'])
  if (before !== null && undo !== null)
    await writeMail(
      write,
      addressChangedLetter(undo, email, { personId, email: before, isConfirmed, language }, circumstances),
    )
  return personId
}
