import type { Write } from '../database/schema.ts'
import { type Letter, renderLetter } from './letter.ts'

/**
 * Puts a letter into the outbox, in the transaction of what it tells of: it is sent if and only if that happened. Control
 * characters in a subject become blanks, so that none can end the header (OWASP ASVS 5.0, 1.3.11).
 */
export async function writeMail(write: Write, letter: Letter): Promise<void> {
  const { kind, to, personId, language } = letter
  const subject = letter.subject.replace(/\p{Cc}+/gu, ' ')
  await write
    .insertInto('mails')
    .values({
      kind,
      recipient: to,
      person_id: personId,
      language,
      subject,
      ...renderLetter({ ...letter, subject }),
    })
    .execute()
}
