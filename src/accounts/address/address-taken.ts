import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import { writeMail } from '../../mail/write-mail.ts'
import { addressTakenLetter, type Circumstances } from '../identity/letters.ts'

/**
 * Tells the owner of an address that somebody gave it for another account: once a day at the most, however many do.
 * @returns whether the address has an owner
 */
export async function tellOwner(write: Write, email: string, circumstances: Circumstances): Promise<boolean> {
  // Two at once wait for each other, so that the second sees the first one's letter.
  const owner = await write
    .selectFrom('people')
    .select(['id', 'language'])
    .select(sql<boolean>`email_confirmed_at is not null`.as('isConfirmed'))
    .where('email', '=', email)
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (owner === undefined) return false
  const told = await write
    .selectFrom('mails')
    .select('id')
    .where('person_id', '=', owner.id)
    .where('kind', '=', 'addressTaken')
    .where('written_at', '>', sql<Date>`now() - interval '1 day'`)
    .executeTakeFirst()
  if (told === undefined) {
    const { id: personId, language, isConfirmed } = owner
    const to = { personId, email, isConfirmed, language }
    await writeMail(write, addressTakenLetter(to, circumstances))
  }
  return true
}
