import type { Write } from '../../database/schema.ts'
import type { Letter } from '../../mail/letter.ts'
import { writeMail } from '../../mail/write-mail.ts'
import type { Circumstances, Where } from '../identity/letters.ts'
import type { LockedPerson } from '../identity/lock.ts'
import { makeMailLink } from '../identity/mail-links.ts'

/** Tells of something new beside the password. Should it be a thief's, the owner would be out for good: so with a way back. */
export async function tellWithWayBack(
  write: Write,
  { id: personId, email, isConfirmed, language }: LockedPerson,
  letter: (token: string, ...where: Where) => Letter,
  circumstances: Circumstances,
): Promise<void> {
  if (email === null) return
  const token = await makeMailLink(write, { personId, purpose: 'undo-second-factor', email })
  await writeMail(write, letter(token, { personId, email, isConfirmed, language }, circumstances))
}
