import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { z } from 'zod'
import type { Database, Write } from '../../database/schema.ts'
import { operation } from '../../kernel/operation.ts'
import { forbidden, Problem } from '../../kernel/problem.ts'
import type { Person } from '../../kernel/rights/person.ts'
import { pathWith } from '../../web/paths.ts'
import { type Addressee, type Circumstances, writeTo } from '../identity/letters.ts'
import { lockPerson } from '../identity/lock.ts'
import { askForMailLink, DeadLink, endMailLinks, makeMailLink } from '../identity/mail-links.ts'
import { ownAccount } from '../identity/own-account.ts'
import { claimAccount, confirmAddress, type LinkToAddress, takeAddress, useLinkToAddress } from './address.ts'

/** Links whose use shows that a mailbox is one's own. */
export const CONFIRMING = ['confirm-email', 'change-email'] as const

/** A person's address, null: they have none; and whether it is known to be theirs. */
export async function findMailbox(db: Database, personId: number) {
  return db
    .selectFrom('people')
    .select('email')
    .select(sql<boolean>`email_confirmed_at is not null`.as('isConfirmed'))
    .where('id', '=', personId)
    .executeTakeFirstOrThrow()
}

/**
 * Sends a link that confirms the account's address.
 * @param nextPath where confirming leads, a path of ours
 * @returns false when it got five of them within the hour
 */
export async function sendConfirmation(
  write: Write,
  to: Addressee & { readonly id: number; readonly email: string },
  circumstances: Circumstances,
  nextPath: string,
): Promise<boolean> {
  const { id: personId, email } = to
  await lockPerson(write, personId)
  const token = await askForMailLink(write, { personId, purpose: 'confirm-email', email, nextPath })
  if (token === null) return false
  await writeTo(write, to, 'confirmation', circumstances, { token })
  return true
}

/** Sends a link that confirms one's own address, unless it is confirmed. `next`: a path of ours, where confirming leads. */
export const confirmationSending = operation({
  name: 'send-confirmation',
  right: 'have-account',
  find: ownAccount,
  limit: 'mail',
  input: { next: z.string() },
  async run({ write, subject, input: { next }, ...where }) {
    const { email, isConfirmed } = subject
    if (email === null) throw forbidden()
    if (isConfirmed) return
    const isSent = await sendConfirmation(write, { ...subject, email }, where, next)
    if (!isSent) throw new Problem('tooOften', 60 * 60)
  },
})

/** A link, and who uses it. */
interface Confirming {
  readonly token: string
  /** Whether they know the account's password, as the door found out. */
  readonly isHolder: boolean
  /** The signed-in person; null: a visitor. */
  readonly personId: number | null
}

/**
 * Confirms the address of a link. Opening a mailbox does not show who created the account, as anybody can sign up under
 * somebody else's address: unless the confirmer has the account as well, the account's ways in end, so that the mailbox's
 * owner alone has it: a token to set a new password with comes back then. A link to a new address of an account works for its holder
 * only.
 * @throws DeadLink
 */
export const emailConfirmation = operation({
  name: 'confirm-email',
  right: 'visit',
  async find(write: Write, key: Confirming) {
    const link = await useLinkToAddress(write, CONFIRMING, key.token)
    return { ...link, isHolder: key.isHolder || key.personId === link.personId }
  },
  limit: 'signIn',
  events: ['email-confirmed', 'account-claimed'],
  async run({ write, subject: link, note, ...where }) {
    const { personId, purpose, person, email, isHolder } = link
    if (purpose === 'change-email') {
      if (!isHolder) throw new DeadLink()
      await changeEmail(write, link, where)
    } else if (!(isHolder || person.isConfirmed)) {
      if ((await claimAccount(write, person, email)) === null) throw new DeadLink()
      note('email-confirmed', { personId })
      note('account-claimed', { personId, way: 'mail' })
      const link = { personId, purpose: 'new-password', email } as const
      return { nextPath: null, newPasswordToken: await makeMailLink(write, link) }
    } else if (!(await confirmAddress(write, personId, email))) throw new DeadLink()
    note('email-confirmed', { personId })
    return { nextPath: purpose === 'change-email' ? null : link.nextPath, newPasswordToken: null }
  },
})

/**
 * The request to confirm one's address: what it says, and the button that sends the link once more.
 * @param next where the person is: confirming leads back there
 * @returns null where no mail leaves, so that no link can arrive
 */
export function confirmationRequest({ config }: FastifyInstance, next: string) {
  if (config.smtpUrl === null) return null
  return {
    said: { key: 'accounts.flash.confirmToHear' },
    act: { path: pathWith('/settings/email/confirmation', { next }), label: 'accounts.mailbox.confirm' },
  }
}

/**
 * The request after a first question, whose answers come by email only to a confirmed address. The link that the person has not
 * opened yet leads to the question from then on.
 * @returns null when there is nothing to ask for
 */
export async function requestAfterFirstQuestion(app: FastifyInstance, person: Person, path: string) {
  const request = confirmationRequest(app, path)
  if (request === null || person.email === null) return null
  const [first] = await app.db
    .selectFrom('people')
    .select('id')
    .where('id', '=', person.id)
    .where('email_confirmed_at', 'is', null)
    .where(
      ({ selectFrom }) =>
        selectFrom('questions')
          .select(({ fn }) => [fn.countAll<number>().as('count')])
          .whereRef('author_id', '=', 'people.id'),
      '=',
      1,
    )
    .execute()
  if (first === undefined) return null
  await app.db
    .updateTable('mail_links')
    .set({ next_path: path })
    .where('person_id', '=', person.id)
    .where('purpose', '=', 'confirm-email')
    .where('used_at', 'is', null)
    .execute()
  return request
}

/**
 * Gives an account the address of a link that was used. Links sent to the old one end; it is told, with the way back.
 * @throws AddressTaken when the address has become somebody else's
 */
async function changeEmail(write: Write, link: LinkToAddress, circumstances: Circumstances): Promise<void> {
  const { person, email } = link
  const { id: personId, email: before } = person
  // Before the address changes: the link says whether the one before was confirmed.
  const undo =
    before === null
      ? null
      : await makeMailLink(write, { personId, purpose: 'undo-email-change', email: before })
  await takeAddress(write, link)
  await write.deleteFrom('sign_in_links').where('person_id', '=', personId).execute()
  await endMailLinks(write, personId, ['new-password', 'confirm-email', 'change-email'])
  await writeTo(write, person, 'addressChanged', circumstances, { token: undo, values: { newEmail: email } })
}
