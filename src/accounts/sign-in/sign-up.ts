import { z } from 'zod'
import { operation } from '../../operations/operation.ts'
import { AddressTaken } from '../address/address.ts'
import { sendConfirmation } from '../address/email-confirmation.ts'
import { type Access, FIRST_ACCESS } from '../identity/access.ts'
import { displayName, email } from '../identity/fields.ts'
import { hashedPassword } from '../identity/new-password.ts'
import { createPerson } from './commands.ts'

/**
 * Makes an account that works at once; a mail asks to confirm its address. `next`: a path of ours, where its owner is: confirming leads
 * back there. @throws AddressTaken
 */
export const signUp = operation({
  name: 'sign-up',
  right: 'visit',
  isForSuspended: true,
  find: async () => null,
  limit: 'signUp',
  input: { display_name: displayName(), email: email(), password: hashedPassword, next: z.string() },
  async run({
    write,
    input: { display_name: displayName, email, password, next },
    ...where
  }): Promise<Access> {
    const account = { displayName, email, passwordHash: password.hash, isNewcomer: true }
    const personId = await createPerson(write, account)
    if (personId === null) throw new AddressTaken()
    await sendConfirmation(write, { personId, email, isConfirmed: false, language: null }, where, next)
    return { personId, accessVersion: FIRST_ACCESS }
  },
})
