import type { Write } from '../../database/schema.ts'
import { operation } from '../../kernel/operation.ts'
import { notFound } from '../../kernel/problem.ts'
import { applyClaims } from '../../kernel/rights/claimed-roles.ts'
import { hashToken } from '../../web/tokens.ts'
import { writeTo } from '../identity/letters.ts'
import { type InSession, ownWith } from '../identity/own-account.ts'
import { countOwnWays } from '../identity/ways.ts'
import { notifyWithWayBack } from '../second-factor/second-factor.ts'
import { applyNoted, requireDomain } from './arrival.ts'
import { lockUsable } from './commands.ts'
import { ProviderFailure } from './failure.ts'
import { insertLinked } from './linked-accounts.ts'
import type { Provider } from './provider.ts'
import { findUnlinked, forgetUnlinked, type Waiting } from './sign-ins.ts'
import { closeEmpty } from './trust.ts'

/**
 * Links the account at a provider that waits in a tab to somebody's own, which it opens from then on; they are told by mail.
 * @returns how the provider is called, and where its owner wanted to go
 * @throws ProviderFailure `taken`: it opens another account, or they have one of this provider already; `expired`: none waits;
 *   `domain`: it could never open it
 */
export const accountLinking = operation({
  name: 'link-account',
  right: 'have-account',
  find: async (write: Write, key: InSession & { readonly provider: Provider; readonly waiting: Waiting }) => {
    await lockUsable(write, key.provider.id)
    return ownWith(write, key)
  },
  limit: 'signIn',
  input: {},
  events: ['account-linked', 'member-removed', 'member-role-changed'],
  async run({ write, subject: { provider, waiting: tab, ...own }, note, ...where }) {
    const waiting = await findUnlinked(write, tab)
    if (waiting === null || tab.browser === null) throw new ProviderFailure('expired')
    const { account, path } = waiting
    requireDomain(provider, account)
    await closeEmpty(write, provider, own, account, where)
    if ((await insertLinked(write, own.personId, provider.id, account)) === null)
      throw new ProviderFailure('taken')
    await applyNoted(write, note, provider, own.personId, account)
    await forgetUnlinked(write, tab.browser)
    await notifyWithWayBack(write, own, 'accountLinked', where, { provider: provider.label })
    note('account-linked', { provider: provider.name })
    return { provider: provider.label, path }
  },
})

/** One of one's own linked accounts, and what its provider is called, for the letter and for the log. */
interface UnlinkKey extends InSession {
  readonly link: {
    readonly id: number
    readonly providerId: number
    readonly label: string
    readonly name: string
  }
}

/**
 * Unlinks an account at a provider, and ends the sessions elsewhere that began with it; the owner is told.
 * @returns null when it is the only way to sign in, and stays
 */
export const accountUnlinking = operation({
  name: 'unlink-account',
  right: 'have-account',
  find: ownWith<UnlinkKey>,
  limit: 'signIn',
  events: ['account-unlinked'],
  async run({ write, subject, note, ...where }) {
    const { id: personId, sessionToken, link } = subject
    if ((await countOwnWays(write, personId)) < 2) return null
    await write
      .deleteFrom('sessions')
      .where('token_hash', 'in', (query) =>
        query.selectFrom('provider_sessions').select('token_hash').where('linked_account_id', '=', link.id),
      )
      .where('person_id', '=', personId)
      .where('token_hash', '!=', hashToken(sessionToken ?? ''))
      .execute()
    const deleted = await write
      .deleteFrom('linked_accounts')
      .where('id', '=', link.id)
      .where('person_id', '=', personId)
      .executeTakeFirst()
    if (deleted.numDeletedRows !== 1n) throw notFound()
    await applyClaims(write, link.providerId, personId, [])
    const told = { provider: link.label }
    await writeTo(write, subject, 'accountUnlinked', where, { values: told })
    note('account-unlinked', { provider: link.name })
    return told
  },
})
