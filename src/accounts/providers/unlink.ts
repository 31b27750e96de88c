import type { Write } from '../../database/schema.ts'
import { writeMail } from '../../mail/write-mail.ts'
import { operation } from '../../operations/operation.ts'
import { notFound } from '../../operations/problem.ts'
import { applyClaims } from '../../rights/claimed-roles.ts'
import { hashToken } from '../../web/tokens.ts'
import type { InSession } from '../identity/in-session.ts'
import { ownAccount } from '../identity/own-account.ts'
import { countOwnWays } from '../identity/own-ways.ts'
import { accountUnlinkedLetter } from './letters.ts'

/** One of one's own linked accounts, and what its provider is called, for the letter and for the log. */
interface LinkKey extends InSession {
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
  find: async (write: Write, { link, ...session }: LinkKey) => ({
    ...(await ownAccount(write, session)),
    link,
  }),
  limit: 'signIn',
  events: ['account-unlinked'],
  async run({ write, subject, note, ...where }) {
    const { id: personId, email, isConfirmed, language, sessionToken, link } = subject
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
    const to = email === null ? null : { personId, email, isConfirmed, language }
    if (to !== null) await writeMail(write, accountUnlinkedLetter(link.label, to, where))
    note('account-unlinked', { provider: link.name })
    return { provider: link.label }
  },
})
