import { z } from 'zod'
import { operation } from '../../kernel/operation.ts'
import { notFound } from '../../kernel/problem.ts'
import { notifyOfRemoval } from '../identity/factors.ts'
import { type InSession, ownAccount, ownWith } from '../identity/own-account.ts'
import { countOwnWays } from '../identity/ways.ts'
import { passkeyName } from './forms.ts'
import { addPasskey, type NewCredential } from './passkey.ts'

/** One of one's own passkeys, by its number. */
const ownPasskey = ownWith<InSession & { readonly passkeyId: number }>

/** Adds a passkey. @returns recovery codes, to be shown this once, where it is the first second factor; null otherwise */
export const passkeyAddition = operation({
  name: 'add-passkey',
  right: 'have-account',
  find: ownAccount,
  limit: 'signIn',
  /** `made`: what an authenticator made of a challenge; the door checks that (registration.ts). */
  input: { name: passkeyName, made: z.custom<NewCredential>((value) => typeof value === 'object') },
  events: ['passkey-added'],
  async run({ write, subject, input: { name, made }, note, ...where }) {
    const recoveryCodes = await addPasskey(write, subject, name, made, where)
    note('passkey-added', {})
    return recoveryCodes
  },
})

export const passkeyRenaming = operation({
  name: 'rename-passkey',
  right: 'have-account',
  find: ownPasskey,
  limit: 'signIn',
  input: { name: passkeyName },
  events: ['passkey-renamed'],
  async run({ write, subject, input: { name }, note }) {
    const renamed = await write
      .updateTable('passkeys')
      .set({ name })
      .where('person_id', '=', subject.id)
      .where('id', '=', subject.passkeyId)
      .executeTakeFirst()
    if (renamed.numUpdatedRows !== 1n) throw notFound()
    note('passkey-renamed', {})
  },
})

/** Takes a passkey away; its owner is told. @returns 'last' when it is their only way to sign in, and stays */
export const passkeyRemoval = operation({
  name: 'remove-passkey',
  right: 'have-account',
  find: ownPasskey,
  limit: 'signIn',
  events: ['passkey-removed'],
  async run({ write, subject, note, ...where }) {
    if ((await countOwnWays(write, subject.id)) < 2) return 'last'
    const removed = await write
      .deleteFrom('passkeys')
      .where('person_id', '=', subject.id)
      .where('id', '=', subject.passkeyId)
      .executeTakeFirst()
    if (removed.numDeletedRows !== 1n) throw notFound()
    await notifyOfRemoval(write, subject, where)
    note('passkey-removed', {})
    return 'removed'
  },
})
