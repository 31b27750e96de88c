import type { Write } from '../../database/schema.ts'
import { operation } from '../../operations/operation.ts'
import type { InSession } from '../identity/in-session.ts'
import { ownAccount } from '../identity/own-account.ts'
import { tellWithWayBack } from '../second-factor/way-back.ts'
import { applyNoted, requireDomain } from './arrival.ts'
import { ProviderFailure } from './failure.ts'
import { accountLinkedLetter } from './letters.ts'
import { insertLinked } from './linked-accounts.ts'
import { lockUsable } from './lock-provider.ts'
import type { Provider } from './provider.ts'
import { findUnlinked, forgetUnlinked, type Waiting } from './sign-ins.ts'
import { closeEmpty } from './trust.ts'

export interface LinkKey extends InSession {
  readonly provider: Provider
  /** The tab in which the account waits. */
  readonly waiting: Waiting
}

/** What was linked, and where its owner wanted to go. */
export interface Linked {
  /** How the provider is called. */
  readonly provider: string
  readonly path: string
}

/**
 * Links the account at a provider that waits in a tab to somebody's own, which it opens from then on; they are told by mail.
 * @throws ProviderFailure `taken`: it opens another account, or they have one of this provider already; `expired`: none waits;
 *   `domain`: it could never open it
 */
export const accountLinking = operation({
  name: 'link-account',
  right: 'have-account',
  find: async (write: Write, { provider, waiting, ...session }: LinkKey) => {
    await lockUsable(write, provider.id)
    return { ...(await ownAccount(write, session)), provider, waiting }
  },
  limit: 'signIn',
  input: {},
  events: ['account-linked', 'member-removed', 'member-role-changed'],
  async run({ write, subject: { provider, waiting: tab, ...own }, note, ...where }): Promise<Linked> {
    const waiting = await findUnlinked(write, tab)
    if (waiting === null || tab.browser === null) throw new ProviderFailure('expired')
    const { account, path } = waiting
    requireDomain(provider, account)
    await closeEmpty(write, provider, own, account, where)
    if ((await insertLinked(write, own.personId, provider.id, account)) === null)
      throw new ProviderFailure('taken')
    await applyNoted(write, note, provider, own.personId, account)
    await forgetUnlinked(write, tab.browser)
    await tellWithWayBack(write, own, accountLinkedLetter(provider.label), where)
    note('account-linked', { provider: provider.name })
    return { provider: provider.label, path }
  },
})
