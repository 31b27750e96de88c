import type { FastifyInstance } from 'fastify'
import type { Message } from '../../messages/catalogue.ts'
import type { Person } from '../../rights/person.ts'
import type { FlashAct } from '../../web/flash.ts'
import { pathWith } from '../../web/paths.ts'

/** The request to confirm one's address: what it says, and the button that sends the link once more. */
export interface ConfirmationRequest {
  readonly said: Message
  readonly act: FlashAct
}

/** @param path where the person is: confirming leads back there. @returns null where no mail leaves, so that no link can arrive */
export function confirmationRequest({ config }: FastifyInstance, path: string): ConfirmationRequest | null {
  if (config.smtpUrl === null) return null
  return {
    said: { key: 'accounts.flash.confirmToHear' },
    act: {
      path: pathWith('/settings/email/confirmation', { next: path }),
      label: 'accounts.mailbox.confirm',
    },
  }
}

/**
 * The request after a first question, whose answers come by email only to a confirmed address. The link that the person has not
 * opened yet leads to the question from then on.
 * @returns null when there is nothing to ask for
 */
export async function requestAfterFirstQuestion(
  app: FastifyInstance,
  person: Person,
  path: string,
): Promise<ConfirmationRequest | null> {
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
