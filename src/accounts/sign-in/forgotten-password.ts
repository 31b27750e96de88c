import type { Write } from '../../database/schema.ts'
import { operation } from '../../kernel/operation.ts'
import { claimAccount } from '../address/address.ts'
import { email } from '../identity/fields.ts'
import { writeTo } from '../identity/letters.ts'
import { lockPerson } from '../identity/lock.ts'
import { askForMailLink, DeadLink, useMailLink } from '../identity/mail-links.ts'
import { hashedPassword } from '../identity/passwords.ts'
import { findAccount } from '../identity/queries.ts'
import { setPassword } from './sign-up.ts'

/** Sends the account of an address a link to a new password; does nothing when there is none, or when it got five within the hour. */
export const newPasswordRequest = operation({
  name: 'ask-for-new-password',
  right: 'visit',
  async find(write: Write, typed: unknown) {
    const address = email().safeParse(typed)
    const account = address.success ? await findAccount(write, address.data) : null
    const person = account === null ? null : await lockPerson(write, account.id)
    return person === null ? null : { ...person, accountId: person.id }
  },
  limit: 'mail',
  input: { email: email() },
  events: ['new-password-asked'],
  async run({ write, subject, input: { email }, note, ...where }) {
    note('new-password-asked', {})
    if (subject?.email !== email) return
    const token = await askForMailLink(write, { personId: subject.id, purpose: 'new-password', email })
    if (token !== null) await writeTo(write, subject, 'newPassword', where, { token })
  },
})

/** Sets the password of the account a link was sent to, and so confirms its address. All its sessions and links end. @throws DeadLink */
export const newPasswordSetting = operation({
  name: 'set-forgotten-password',
  right: 'visit',
  find: (write: Write, token: string) => useMailLink(write, ['new-password'], token),
  limit: 'signIn',
  input: { password: hashedPassword },
  events: ['password-changed'],
  async run({ write, subject: { person, email, personId }, input: { password }, note, ...where }) {
    const isTheirs = person.isConfirmed
      ? person.email === email
      : (await claimAccount(write, person, email)) !== null
    if (!isTheirs) throw new DeadLink()
    await setPassword(write, person, password.hash, where)
    note('password-changed', { personId, proof: 'mail' })
  },
})
