import { line } from '../../kernel/fields.ts'
import { operation } from '../../kernel/operation.ts'
import type { SecretKeys } from '../../secrets/keys.ts'
import { form } from '../../web/form.ts'
import { hasSecondFactor, notifyOfRemoval } from '../identity/factors.ts'
import { writeTo } from '../identity/letters.ts'
import { type InSession, ownAccount, ownWith } from '../identity/own-account.ts'
import { beginSecondFactor, findSecondFactor, makeRecoveryCodes, turnOn } from './second-factor.ts'

/** Six digits of an app, or a recovery code with whatever between its groups. */
const codeField = line({
  min: 1,
  max: 100,
  short: 'secondFactor.code.missing',
  long: 'secondFactor.code.wrong',
})

export const codeForm = form({ code: codeField })

/** One's own account, and what seals the secrets that apps are given. */
const ownWithKeys = ownWith<InSession & { readonly keys: SecretKeys }>

/** Begins to set an app up, with a new secret. One that is on stays as it is. */
export const appSetUp = operation({
  name: 'set-up-second-factor',
  right: 'have-account',
  find: ownWithKeys,
  limit: 'signIn',
  run: async ({ write, subject: { keys, id } }) => beginSecondFactor(write, keys, id),
})

/** Turns it on when the app shows a right code. @returns the recovery codes, to be shown this once; null when nothing is being set up */
export const appConfirmation = operation({
  name: 'turn-second-factor-on',
  right: 'have-account',
  find: ownWithKeys,
  limit: 'signIn',
  input: { code: codeField },
  events: ['second-factor-on'],
  async run({ write, subject, input: { code }, note, ...where }) {
    const factor = await findSecondFactor(write, subject.keys, subject.id)
    if (factor === null || factor.isOn) return null
    const codes = await turnOn(write, subject, factor, code, where)
    note('second-factor-on', {})
    return codes
  },
})

/** Replaces the recovery codes; the owner is told. @returns them, to be shown this once; null when no second factor is on */
export const recoveryCodesRenewal = operation({
  name: 'renew-recovery-codes',
  right: 'have-account',
  find: ownAccount,
  limit: 'signIn',
  events: ['recovery-codes-made'],
  async run({ write, subject, note, ...where }) {
    if (!(await hasSecondFactor(write, subject.id))) return null
    await writeTo(write, subject, 'recoveryCodes', where)
    note('recovery-codes-made', {})
    return makeRecoveryCodes(write, subject.id)
  },
})

/** Turns the app off; the owner is told. */
export const appRemoval = operation({
  name: 'turn-second-factor-off',
  right: 'have-account',
  find: ownAccount,
  limit: 'signIn',
  events: ['second-factor-off'],
  async run({ write, subject, note, ...where }) {
    const row = await write
      .deleteFrom('second_factors')
      .where('person_id', '=', subject.id)
      .returning('confirmed_at')
      .executeTakeFirst()
    if (row !== undefined && row.confirmed_at !== null) await notifyOfRemoval(write, subject, where)
    note('second-factor-off', {})
  },
})
