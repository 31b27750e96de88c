import { sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import { type Message, translatorOf } from '../../messages/catalogue.ts'
import { performIn, prepare, type Surroundings } from '../../operations/perform.ts'
import { Problem, Refused } from '../../operations/problem.ts'
import { Suspended } from '../../operations/suspended.ts'
import { type Person, personFields } from '../../rights/person.ts'
import { tellsAuthor } from '../../text/own-name.ts'
import { postAnswer } from '../answers/operations.ts'
import { keepLeftOut } from '../questions/left-out.ts'
import { replyToAnswer, replyToQuestion } from '../replies/operations.ts'
import type { ReplyKey } from './keys.ts'
import { aboveQuotes, type Ours, splitMail, tellsSecret, type Written } from './quotation.ts'
import type { IncomingMail } from './read-mail.ts'

export class Refusal extends Error {
  readonly sender: Sender
  readonly said: Message

  constructor(
    sender: Sender,
    reason: 'sender' | 'text' | 'named' | 'address' | 'right' | 'often',
    said?: Message,
  ) {
    super(reason)
    this.sender = sender
    this.said = said ?? { key: `mailing.refused.${reason}` }
  }
}

/** An answer by email, rendered: posts it. @throws Refusal; nothing is posted then */
export type MailPosting = (write: Write, forum: Omit<Surroundings, 'language'>) => Promise<void>

/**
 * The door of emails: makes an answer or a reply ready, before the transaction, for the operation that the form performs.
 * @throws Refusal
 */
export async function prepareMail(
  db: Database,
  { questionId, answerId, isAnswer }: ReplyKey,
  sender: Sender,
  mail: IncomingMail,
  ours: Ours,
): Promise<MailPosting> {
  const { text: body, leftOut } = writtenIn(mail, sender, ours)
  const operation = isAnswer ? postAnswer : answerId === null ? replyToQuestion : replyToAnswer
  const key = isAnswer ? questionId : (answerId ?? questionId)
  const input = { body, anonymous: sender.isAnonymous }
  const prepared = await prepare(db, operation, { actor: sender, key, input })
  return async (write, forum) => {
    try {
      const { id } = await performIn(write, prepared, { ...forum, language: sender.language ?? 'en' })
      if (leftOut !== '') await keepLeftOut(write, { table: isAnswer ? 'answers' : 'replies', id }, leftOut)
    } catch (error) {
      if (error instanceof Refused) throw new Refusal(sender, 'text', error.errors[0]?.message)
      if (error instanceof Suspended) throw new Refusal(sender, 'right', error.text)
      throw error instanceof Problem ? new Refusal(sender, 'right') : error
    }
  }
}

/** What an email says, as it is posted, and what is left out of it. @throws Refusal */
function writtenIn(mail: IncomingMail, sender: Sender, ours: Ours): Written {
  const whole = splitMail(mail.text, ours, mail.subject)
  const { text, leftOut } = sender.isAnonymous ? aboveQuotes(whole, ours) : whole
  if (text === '') throw new Refusal(sender, 'text')
  const body = sender.isAnonymous ? text : withAttachments(text, mail, sender)
  if (tellsSecret(body, ours)) throw new Refusal(sender, 'address')
  if (!sender.isAnonymous) return { text: body, leftOut }
  const isNamed = (line: string) =>
    tellsAuthor(line, [sender.displayName, mail.fromName], [sender.email, mail.from])
  if (isNamed(body)) throw new Refusal(sender, 'named')
  // One press adds it to a post without a name.
  const unnamed = leftOut.split('\n').filter((line) => !isNamed(line))
  return { text: body, leftOut: isNamed(unnamed.join('\n')) ? '' : unnamed.join('\n').trim() }
}

/** Attachments are named, so that readers know of them: never of an anonymous post, as their names often have the author's. */
function withAttachments(text: string, { attachments }: IncomingMail, { language }: Sender): string {
  if (attachments.length === 0) return text
  const names = attachments.join(', ').replace(/[`\n\r]/g, ' ')
  return `${text}\n\n${translatorOf(language ?? 'en')('mailing.attachments', { names })}`
}

/** The person who answers by mail, with the rights they have now. */
export interface Sender extends Person {
  /** Confirmed. */
  readonly email: string
  /** They have a stand-in name in the thread, and write on under it: naming oneself is a choice made in the forum. */
  readonly isAnonymous: boolean
}

/** null: there is no such person any more, or their address is not confirmed. */
export async function senderOf(
  db: Database,
  { personId, questionId }: Pick<ReplyKey, 'personId' | 'questionId'>,
): Promise<Sender | null> {
  const person = await db
    .selectFrom('people as person')
    .select(personFields(null))
    .select(
      sql<boolean>`exists (select from stand_ins
        where question_id = ${questionId} and person_id = ${personId})`.as('isAnonymous'),
    )
    .where('person.id', '=', personId)
    .where('person.email_confirmed_at', 'is not', null)
    .where('person.left_at', 'is', null)
    .executeTakeFirst()
  return person === undefined || person.email === null ? null : { ...person, email: person.email }
}
