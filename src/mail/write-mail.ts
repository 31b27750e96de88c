import type { Write } from '../database/schema.ts'
import { countTry } from '../database/tries.ts'
import { type Letter, renderLetter } from './letter.ts'
import { LETTERS } from './limits.ts'

/**
 * Counts a mail to an address, in the transaction that writes it.
 * @param what a separate limit from other mails to the address
 * @returns false when the address is over its limit: limits/table.ts
 */
export async function countMailTo(write: Write, email: string, what: string): Promise<boolean> {
  // Quoted, so that no address equals the name of another limit.
  const { count } = await countTry(write, JSON.stringify(['mail', what, email]), LETTERS.window)
  return count <= LETTERS.max
}

/**
 * Adds a letter to the outbox, in the transaction of the event it reports: it is sent if and only if that commits.
 * Control characters in a subject become spaces, so that none can end the header (OWASP ASVS 5.0, 1.3.11). Mail to an
 * unconfirmed address is rate limited, so that an account cannot flood a stranger's mailbox.
 */
export async function writeMail(write: Write, letter: Letter): Promise<void> {
  const { kind, to, personId, language, isCapped } = letter
  if (isCapped && !(await countMailTo(write, to, 'unconfirmed'))) return
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
