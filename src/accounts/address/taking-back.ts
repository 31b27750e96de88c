import type { MailLinkPurpose, Write } from '../../database/schema.ts'
import { operation } from '../../kernel/operation.ts'
import { hashToken } from '../../web/tokens.ts'
import { deleteOtherWays, endUselessCodes } from '../identity/factors.ts'
import { endMailLinks, makeMailLink } from '../identity/mail-links.ts'
import { endWaysIn } from '../sessions/endings.ts'
import { takeAddress, useLinkToAddress } from './address.ts'

/** Letters with a way back tell of what a thief might do to keep the owner out. */
export type UndoPurpose = Extract<MailLinkPurpose, `undo-${string}`>
const UNDOING: readonly UndoPurpose[] = ['undo-email-change', 'undo-second-factor']

/**
 * Gives an account back to the person who opened a link in a mailbox that was its own before: with the address it had then, and without
 * the app and the passkeys that came with the letter or later. The person who added them knew the password, so it is void, every session with it.
 * @returns the token of a link to a new password
 * @throws DeadLink
 */
export const takingBack = operation({
  name: 'take-account-back',
  right: 'visit',
  find: async (
    write: Write,
    { purpose, token }: { readonly purpose: UndoPurpose; readonly token: string },
  ) => ({ ...(await useLinkToAddress(write, [purpose], token)), token }),
  limit: 'signIn',
  events: ['email-change-undone'],
  async run({ write, subject, note }) {
    const { personId, email, wasConfirmed, token } = subject
    await takeAddress(write, subject)
    await write.updateTable('people').set({ password_hash: null }).where('id', '=', personId).execute()
    await endWaysIn(write, personId)
    await endMailLinks(write, personId, ['confirm-email'])
    if (wasConfirmed) await removeWhatCameAfter(write, personId, token)
    else await removeStrangersWaysIn(write, personId)
    note('email-change-undone', {})
    return makeMailLink(write, { personId, purpose: 'new-password', email })
  },
})

/**
 * What came with the letter or after it is not the owner's: an app or a passkey would keep them out, and ways back lead to the thief.
 * Ways back from before are the owner's own.
 */
async function removeWhatCameAfter(write: Write, personId: number, token: string): Promise<void> {
  const letter = write.selectFrom('mail_links').select('made_at').where('token_hash', '=', hashToken(token))
  await write
    .deleteFrom('second_factors')
    .where('person_id', '=', personId)
    .where('confirmed_at', '>=', letter)
    .execute()
  await write
    .deleteFrom('passkeys')
    .where('person_id', '=', personId)
    .where('added_at', '>=', letter)
    .execute()
  await write
    .deleteFrom('linked_accounts')
    .where('person_id', '=', personId)
    .where('linked_at', '>=', letter)
    .execute()
  await endUselessCodes(write, personId)
  await write
    .deleteFrom('mail_links')
    .where('person_id', '=', personId)
    .where('purpose', 'in', UNDOING)
    .where('used_at', 'is', null)
    .where('made_at', '>=', letter)
    .execute()
}

/** Nobody had opened the mailbox before: a stranger may have signed up under its address, so no factor and no way back is the owner's. */
async function removeStrangersWaysIn(write: Write, personId: number): Promise<void> {
  await deleteOtherWays(write, personId)
  await endMailLinks(write, personId, UNDOING)
}
