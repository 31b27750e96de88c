import { sql } from 'kysely'
import { writeMail } from '../../mail/write-mail.ts'
import { operation } from '../../operations/operation.ts'
import { email } from '../identity/fields.ts'
import { addressTakenLetter } from '../identity/letters.ts'

/** Tells the owner of an address that somebody gave it for another account: once a day at the most, however many do. */
export const addressOwnerTelling = operation({
  name: 'tell-owner-of-address',
  right: 'visit',
  isForSuspended: true,
  find: async () => null,
  limit: 'mail',
  input: { email: email() },
  async run({ write, input: { email }, ...where }) {
    // Two at once wait for each other, so that the second sees the first one's letter.
    const owner = await write
      .selectFrom('people')
      .select(['id', 'language'])
      .select(sql<boolean>`email_confirmed_at is not null`.as('isConfirmed'))
      .where('email', '=', email)
      .forNoKeyUpdate()
      .executeTakeFirst()
    if (owner === undefined) return
    const told = await write
      .selectFrom('mails')
      .select('id')
      .where('person_id', '=', owner.id)
      .where('kind', '=', 'addressTaken')
      .where('written_at', '>', sql<Date>`now() - interval '1 day'`)
      .executeTakeFirst()
    if (told !== undefined) return
    const { id: personId, language, isConfirmed } = owner
    await writeMail(write, addressTakenLetter({ personId, email, isConfirmed, language }, where))
  },
})
