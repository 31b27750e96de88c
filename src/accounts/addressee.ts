import type { Write } from '../database/schema.ts'
import type { Addressee } from './letters.ts'

/**
 * Whom a letter about an account goes to; null: it has no address.
 * @param hold 'locked': whoever else asks so for the same person waits until this transaction ends
 */
export async function addresseeOf(
  write: Write,
  personId: number,
  hold: 'free' | 'locked' = 'free',
): Promise<Addressee | null> {
  const { email, language } = await write
    .selectFrom('people')
    .select(['email', 'language'])
    .where('id', '=', personId)
    .$if(hold === 'locked', (query) => query.forNoKeyUpdate())
    .executeTakeFirstOrThrow()
  return email === null ? null : { personId, email, language }
}
