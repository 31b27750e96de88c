import { sql } from 'kysely'
import type { Database, Write } from '../database/schema.ts'
import { writeMail } from '../mail/write-mail.ts'
import { endUselessCodes } from '../second-factor/factors.ts'
import { endHalfSignIns } from '../second-factor/half-sign-ins.ts'
import { tellOwner } from './address-taken.ts'
import { addressChangedLetter, type Circumstances, newAddressLetter } from './letters.ts'
import { askForMailLink, endMailLinks, type MailLink, makeMailLink, useMailLink } from './mail-links.ts'
import type { Person } from './person.ts'
import { endOtherSessions } from './sessions.ts'
import { hashToken } from './tokens.ts'

/**
 * Sends a link to the new address; the account has it when the link is used. An address that has an account gets a letter that
 * says so instead, and nobody else learns of it.
 * @returns false when the account asked five times within the hour
 */
export async function askForEmailChange(
  db: Database,
  person: Person,
  email: string,
  circumstances: Circumstances,
): Promise<boolean> {
  return db.transaction().execute(async (write) => {
    await endMailLinks(write, person.id, ['change-email'])
    const token = await askForMailLink(write, { personId: person.id, purpose: 'change-email', email })
    if (token === null) return false
    if (!(await tellOwner(write, email, circumstances))) {
      const to = { personId: person.id, email, language: person.language }
      await writeMail(write, newAddressLetter(token, to, circumstances))
    }
    return true
  })
}

/**
 * Gives an account the address of a link that was used. Links sent to the old one end; it is told, with the way back.
 * @returns whose; null when the address has become somebody else's
 */
export async function changeEmail(
  write: Write,
  { personId, email }: MailLink,
  circumstances: Circumstances,
): Promise<number | null> {
  const before = await write
    .selectFrom('people')
    .select(['email', 'language'])
    .where('id', '=', personId)
    .forUpdate()
    .executeTakeFirstOrThrow()
  if (!(await takeAddress(write, personId, email))) return null
  await write.deleteFrom('sign_in_links').where('person_id', '=', personId).execute()
  await endMailLinks(write, personId, ['new-password', 'confirm-email', 'change-email'])
  if (before.email !== null) {
    const purpose = 'undo-email-change'
    const token = await makeMailLink(write, { personId, purpose, email: before.email })
    const to = { personId, email: before.email, language: before.language }
    await writeMail(write, addressChangedLetter(token, email, to, circumstances))
  }
  return personId
}

/**
 * Brings the old address back. Whoever changed it knew the password, so that is void, every session and link with it.
 * @returns the token of a link to a new password; null when the link is no good (any more), or the old address is taken
 */
export async function undoEmailChange(db: Database, token: string): Promise<string | null> {
  return db.transaction().execute(async (write) => {
    const link = await useMailLink(write, ['undo-email-change'], token)
    if (link === null || !(await takeAddress(write, link.personId, link.email))) return null
    const { personId, email } = link
    await write.updateTable('people').set({ password_hash: null }).where('id', '=', personId).execute()
    await write.deleteFrom('sign_in_links').where('person_id', '=', personId).execute()
    await endMailLinks(write, personId, [
      'new-password',
      'confirm-email',
      'change-email',
      'undo-email-change',
    ])
    await endHalfSignIns(write, personId)
    await removeTheirFactors(write, personId, token)
    await endOtherSessions(write, personId, null)
    return makeMailLink(write, { personId, purpose: 'new-password', email })
  })
}

/** An app or a passkey that came since the address was changed is not the owner's, and would keep them out. */
async function removeTheirFactors(write: Write, personId: number, token: string): Promise<void> {
  const changedAt = write
    .selectFrom('mail_links')
    .select('made_at')
    .where('token_hash', '=', hashToken(token))
  await write
    .deleteFrom('second_factors')
    .where('person_id', '=', personId)
    .where('confirmed_at', '>', changedAt)
    .execute()
  await write
    .deleteFrom('passkeys')
    .where('person_id', '=', personId)
    .where('added_at', '>', changedAt)
    .execute()
  await endUselessCodes(write, personId)
}

/** @returns false when somebody else has it */
async function takeAddress(write: Write, personId: number, email: string): Promise<boolean> {
  const taken = await write
    .updateTable('people')
    .set({ email, email_confirmed_at: sql`now()` })
    .where('id', '=', personId)
    .where((where) =>
      where.not(
        where.exists(
          where
            .selectFrom('people as other')
            .select('other.id')
            .where('other.email', '=', email)
            .where('other.id', '!=', personId),
        ),
      ),
    )
    .executeTakeFirst()
  return taken.numUpdatedRows === 1n
}
