import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import type { Addressee } from './letters.ts'

/** Whom a letter about an account goes to; null: it has no address. */
export async function addresseeOf(write: Write, personId: number): Promise<Addressee | null> {
  const { email, isConfirmed, language } = await write
    .selectFrom('people')
    .select(['email', 'language'])
    .select(sql<boolean>`email_confirmed_at is not null`.as('isConfirmed'))
    .where('id', '=', personId)
    .executeTakeFirstOrThrow()
  return email === null ? null : { personId, email, isConfirmed, language }
}
