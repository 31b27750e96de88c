import type { Database } from '../../database/schema.ts'
import { writeMail } from '../../mail/write-mail.ts'
import type { InSession } from '../identity/in-session.ts'
import { accountLetter, type Circumstances } from '../identity/letters.ts'
import { lockSignedIn } from '../identity/lock.ts'
import { makeToken, type NewToken, revokeToken } from './commands.ts'

/**
 * Makes a token of a person, who is told by email.
 * @returns the token; null: they have as many as anybody may
 * @throws NeedsSignIn when the session has ended meanwhile
 */
export async function makeOwnToken(
  db: Database,
  { personId, sessionToken }: InSession,
  circumstances: Circumstances,
  { courseId, ...made }: NewToken & { readonly courseId: number | null },
): Promise<string | null> {
  return db.transaction().execute(async (write) => {
    const { email, isConfirmed, language } = await lockSignedIn(write, personId, sessionToken)
    const token = await makeToken(write, { personId, courseId }, made)
    if (token !== null && email !== null)
      await writeMail(
        write,
        accountLetter(
          'tokenMade',
          '/settings/tokens',
          { personId, email, isConfirmed, language },
          circumstances,
        ),
      )
    return token
  })
}

/**
 * Revokes a token of a person, who is told by email.
 * @returns false: they have none of that number
 * @throws NeedsSignIn when the session has ended meanwhile
 */
export async function revokeOwnToken(
  db: Database,
  { personId, sessionToken }: InSession,
  circumstances: Circumstances,
  id: number,
): Promise<boolean> {
  return db.transaction().execute(async (write) => {
    const { email, isConfirmed, language } = await lockSignedIn(write, personId, sessionToken)
    const revoked = await revokeToken(write, { personId, courseId: null }, id)
    if (revoked !== null && email !== null)
      await writeMail(
        write,
        accountLetter(
          'tokenRevoked',
          '/settings/tokens',
          { personId, email, isConfirmed, language },
          circumstances,
        ),
      )
    return revoked !== null
  })
}
