import { sql } from 'kysely'
import type { Database } from '../database/schema.ts'
import { writeMail } from '../mail/write-mail.ts'
import { setPassword } from './commands.ts'
import { type Circumstances, newPasswordLetter } from './letters.ts'
import { askForMailLink, useMailLink } from './mail-links.ts'

/** Sends the account of an address a link to a new password; does nothing when there is none, or when it got five within the hour. */
export async function sendNewPasswordLink(
  db: Database,
  email: string,
  circumstances: Circumstances,
): Promise<void> {
  await db.transaction().execute(async (write) => {
    const person = await write
      .selectFrom('people')
      .select(['id', 'language'])
      .where('email', '=', email)
      .executeTakeFirst()
    if (person === undefined) return
    const token = await askForMailLink(write, { personId: person.id, purpose: 'new-password', email })
    if (token === null) return
    const to = { personId: person.id, email, language: person.language }
    await writeMail(write, newPasswordLetter(token, to, circumstances))
  })
}

/**
 * Sets the password of the account a link was sent to, and so confirms its address. All its sessions and links end.
 * @returns whose it is; null when the link is no good (any more)
 */
export async function setForgottenPassword(
  db: Database,
  token: string,
  passwordHash: string,
  circumstances: Circumstances,
): Promise<number | null> {
  return db.transaction().execute(async (write) => {
    const link = await useMailLink(write, ['new-password'], token)
    if (link === null) return null
    await write
      .updateTable('people')
      .set({ email_confirmed_at: sql`coalesce(email_confirmed_at, now())` })
      .where('id', '=', link.personId)
      .where('email', '=', link.email)
      .execute()
    await setPassword(write, link.personId, passwordHash, circumstances)
    return link.personId
  })
}
