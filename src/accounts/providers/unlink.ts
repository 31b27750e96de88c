import type { Database } from '../../database/schema.ts'
import { writeMail } from '../../mail/write-mail.ts'
import { hashToken } from '../../web/tokens.ts'
import type { InSession } from '../identity/in-session.ts'
import type { Circumstances } from '../identity/letters.ts'
import { lockSignedIn } from '../identity/lock.ts'
import { countOwnWays } from '../identity/own-ways.ts'
import { accountUnlinkedLetter } from './letters.ts'

/** What became of it; 'last': it is the only way to sign in. */
export type Unlinked = 'unlinked' | 'last' | 'absent'

/**
 * Unlinks an account at a provider, and ends the sessions elsewhere that began with it; the owner is told.
 * @throws NeedsSignIn when the session has ended meanwhile
 */
export async function unlinkAccount(
  db: Database,
  { personId, sessionToken }: InSession,
  { id, label }: { readonly id: number; readonly label: string },
  circumstances: Circumstances,
): Promise<Unlinked> {
  return db.transaction().execute(async (write) => {
    const { email, isConfirmed, language } = await lockSignedIn(write, personId, sessionToken)
    if ((await countOwnWays(write, personId)) < 2) return 'last'
    await write
      .deleteFrom('sessions')
      .where('token_hash', 'in', (query) =>
        query.selectFrom('provider_sessions').select('token_hash').where('linked_account_id', '=', id),
      )
      .where('person_id', '=', personId)
      .where('token_hash', '!=', hashToken(sessionToken ?? ''))
      .execute()
    const deleted = await write
      .deleteFrom('linked_accounts')
      .where('id', '=', id)
      .where('person_id', '=', personId)
      .executeTakeFirst()
    if (deleted.numDeletedRows !== 1n) return 'absent'
    if (email !== null)
      await writeMail(
        write,
        accountUnlinkedLetter(label, { personId, email, isConfirmed, language }, circumstances),
      )
    return 'unlinked'
  })
}
