import type { Database } from '../../database/schema.ts'
import { applyClaims } from '../../rights/claimed-roles.ts'
import type { InSession } from '../identity/in-session.ts'
import type { Circumstances } from '../identity/letters.ts'
import { lockSignedIn } from '../identity/lock.ts'
import { tellWithWayBack } from '../second-factor/way-back.ts'
import { ProviderFailure } from './failure.ts'
import { accountLinkedLetter } from './letters.ts'
import { insertLinked } from './linked-accounts.ts'
import type { Provider } from './provider.ts'
import type { ProviderAccount } from './provider-account.ts'
import { forgetUnlinked } from './sign-ins.ts'

/**
 * Links an account at a provider to somebody's own, which opens it from then on; they are told by mail.
 * @param browser where the account waits
 * @throws ProviderFailure `taken`: it opens another account, or they have one of this provider already
 * @throws NeedsSignIn when the session has ended meanwhile
 */
export async function linkAccount(
  db: Database,
  { personId, sessionToken }: InSession,
  provider: Provider,
  { account, browser }: { readonly account: ProviderAccount; readonly browser: string },
  circumstances: Circumstances,
): Promise<void> {
  await db.transaction().execute(async (write) => {
    const person = await lockSignedIn(write, personId, sessionToken)
    if ((await insertLinked(write, personId, provider.id, account)) === null)
      throw new ProviderFailure('taken')
    await applyClaims(write, provider.id, personId, account.roleValues ?? [])
    await forgetUnlinked(write, provider.id, browser)
    await tellWithWayBack(write, person, accountLinkedLetter(provider.label), circumstances)
  })
}
