import { sql } from 'kysely'
import type { Database, Language, Theme, Write } from '../database/schema.ts'
import { writeMail } from '../mail/write-mail.ts'
import { endHalfSignIns } from '../second-factor/half-sign-ins.ts'
import { type Circumstances, passwordChangedLetter } from './letters.ts'
import { endMailLinks } from './mail-links.ts'
import { endOtherSessions } from './sessions.ts'

export interface NewPerson {
  readonly displayName: string
  /** In lower case. */
  readonly email: string
  /** null: signs in by link only. */
  readonly passwordHash: string | null
  readonly isAdmin?: boolean
  /** Whether nobody of the forum made the account: for a day limits for newcomers hold. */
  readonly isNewcomer?: boolean
}

/** Makes an account. @returns its id; null when the address has one already */
export async function createPerson(write: Database | Write, person: NewPerson): Promise<number | null> {
  const row = await write
    .insertInto('people')
    .values({
      display_name: person.displayName,
      email: person.email,
      password_hash: person.passwordHash,
      is_admin: person.isAdmin ?? false,
      new_until: person.isNewcomer === true ? sql<Date>`now() + interval '1 day'` : null,
    })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returning('id')
    .executeTakeFirst()
  return row?.id ?? null
}

export interface Profile {
  readonly displayName: string
  /** null: as the browser asks. */
  readonly language: Language | null
  /** null: the course's. */
  readonly timeZone: string | null
  readonly theme: Theme
}

export async function changeProfile(db: Database, personId: number, profile: Profile): Promise<void> {
  const { displayName, language, timeZone, theme } = profile
  await db
    .updateTable('people')
    .set({ display_name: displayName, language, time_zone: timeZone, theme })
    .where('id', '=', personId)
    .execute()
}

/** Sets a new password. Whoever got in with the old one is out: all sessions and links end. The owner is told by mail. */
export async function setPassword(
  write: Write,
  personId: number,
  passwordHash: string,
  circumstances: Circumstances,
): Promise<void> {
  const { email, language } = await write
    .updateTable('people')
    .set({ password_hash: passwordHash })
    .where('id', '=', personId)
    .returning(['email', 'language'])
    .executeTakeFirstOrThrow()
  await write.deleteFrom('sign_in_links').where('person_id', '=', personId).execute()
  await endMailLinks(write, personId, ['new-password', 'change-email'])
  await endHalfSignIns(write, personId)
  await endOtherSessions(write, personId, null)
  if (email !== null)
    await writeMail(write, passwordChangedLetter({ personId, email, language }, circumstances))
}
