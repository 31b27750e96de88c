import { choice, optional } from '../../kernel/fields.ts'
import { operation } from '../../kernel/operation.ts'
import { forbidden, Problem, refusal } from '../../kernel/problem.ts'
import { isResetName } from '../../kernel/rights/person.ts'
import { squatterOf } from '../address/address.ts'
import { displayName, email } from '../identity/fields.ts'
import { LANGUAGE_CHOICES, SYSTEM, THEMES, timeZone } from '../identity/forms.ts'
import { writeTo } from '../identity/letters.ts'
import { askForMailLink, endMailLinks } from '../identity/mail-links.ts'
import { ownAccount } from '../identity/own-account.ts'
import { hashedPassword } from '../identity/passwords.ts'
import { findAccount, proofForPassword } from '../identity/queries.ts'
import { countOwnWays } from '../identity/ways.ts'
import { endWaysIn } from '../sessions/endings.ts'
import { setPassword } from '../sign-in/sign-up.ts'

/** `time_zone` may be left empty: the course's. `language` and `theme`: SYSTEM for what the browser asks for. */
export const profileChange = operation({
  name: 'change-profile',
  right: 'have-account',
  find: ownAccount,
  input: {
    display_name: displayName(),
    language: choice(LANGUAGE_CHOICES),
    time_zone: optional(timeZone()),
    theme: choice(THEMES),
  },
  async run({ write, subject, input }) {
    if (await isResetName(write, subject.id, input.display_name))
      throw refusal('display_name', 'accounts.name.reset')
    const language = input.language === SYSTEM ? null : input.language
    await write
      .updateTable('people')
      .set({ ...input, language })
      .where('id', '=', subject.id)
      .execute()
  },
})

/**
 * Sends a link to a new address; the account has it when the link is used (address/email-confirmation.ts). One change at a time is asked for.
 * @returns whether the address is another account's, and not only claimed there: its owner is told then (address/address.ts), and nobody else
 * learns of it
 */
export const emailChangeRequest = operation({
  name: 'ask-for-email-change',
  right: 'have-account',
  find: ownAccount,
  limit: 'mail',
  input: { new_email: email() },
  events: ['email-change-asked'],
  async run({ write, subject, input: { new_email: email }, note, ...where }) {
    const personId = subject.id
    if (email === subject.email) throw refusal('new_email', 'accounts.emailChange.same')
    const isTaken = (await findAccount(write, email)) !== null && (await squatterOf(write, email)) === null
    const token = await askForMailLink(write, { personId, purpose: 'change-email', email })
    if (token === null) throw new Problem('tooOften', 60 * 60)
    await endMailLinks(write, personId, ['change-email'], token)
    const to = { ...subject, email, isConfirmed: false }
    if (!isTaken) await writeTo(write, to, 'newAddress', where, { token })
    note('email-change-asked', {})
    return { email, isTaken }
  },
})

/** Sets a new password: all sessions end. @returns what the next one begins with */
export const passwordChange = operation({
  name: 'change-password',
  right: 'have-account',
  find: ownAccount,
  limit: 'signIn',
  input: { password: hashedPassword },
  events: ['password-changed'],
  async run({ write, subject, input: { password }, note, ...where }) {
    const proof = await proofForPassword(write, subject.id, subject.sessionToken)
    if (subject.email === null || proof.by === 'none') throw forbidden()
    const access = await setPassword(write, subject, password.hash, where)
    note('password-changed', { proof: proof.by })
    return access
  },
})

/** Removes the password: all sessions and links end; the owner is told. @returns what the next session begins with; null: it is the only way to sign in, and stays */
export const passwordRemoval = operation({
  name: 'remove-password',
  right: 'have-account',
  find: ownAccount,
  limit: 'signIn',
  events: ['password-removed'],
  async run({ write, subject, note, ...where }) {
    const personId = subject.id
    if ((await countOwnWays(write, personId)) < 2) return null
    await write.updateTable('people').set({ password_hash: null }).where('id', '=', personId).execute()
    const access = await endWaysIn(write, personId)
    await writeTo(write, subject, 'passwordRemoved', where)
    note('password-removed', {})
    return access
  },
})
