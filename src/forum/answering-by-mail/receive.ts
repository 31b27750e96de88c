import { type RawBuilder, sql } from 'kysely'
import type { Config } from '../../config.ts'
import type { Database, Write } from '../../database/schema.ts'
import { countTry } from '../../database/tries.ts'
import { inTransaction, performIn, prepare, type Surroundings } from '../../kernel/perform.ts'
import { Problem, Refused } from '../../kernel/problem.ts'
import { personFields } from '../../kernel/rights/person.ts'
import { Suspended } from '../../kernel/suspended.ts'
import { stopReturning } from '../../mail/outbox.ts'
import { returnedMailId } from '../../mail/return-address.ts'
import { writeMail } from '../../mail/write-mail.ts'
import { type Message, type MessageValues, translatorOf } from '../../messages/catalogue.ts'
import type { SecretKeys } from '../../secrets/keys.ts'
import { tellsAuthor } from '../../text/own-name.ts'
import { postAnswer } from '../answers/operations.ts'
import { keepLeftOut } from '../questions/left-out.ts'
import { replyToAnswer, replyToQuestion } from '../replies/operations.ts'
import { findReplyKey, type ReplyKey } from './keys.ts'
import { aboveQuotes, type Ours, splitMail, tellsSecret, type Written } from './quotation.ts'
import type { IncomingMail } from './read-mail.ts'

/** What became of a mail. All but 'posted' post nothing; 'refused' tells the sender why. */
export type Outcome = 'posted' | 'again' | 'automatic' | 'returned' | 'unknown' | 'refused'

export interface Receiver
  extends Pick<Config, 'replyAddress' | 'baseUrl'>,
    Pick<Surroundings, 'log' | 'careful'> {
  readonly keys: SecretKeys
}

/** Answers by mail of one person: more is a program's. */
const LIMIT = { max: 60, window: 60 * 60_000 } as const

/** Takes a mail that came to REPLY_ADDRESS, once. The rights, limits and bounds are those of the forms. */
export async function receiveMail(db: Database, receiver: Receiver, mail: IncomingMail): Promise<Outcome> {
  try {
    // Rendered before the transaction, which would keep the question locked meanwhile.
    const answer = await answerIn(db, receiver, mail)
    return await inTransaction(db, receiver, async (write, within) => {
      if (!(await isNew(write, mail, 'posted'))) return 'again'
      const outcome = await take(write, within, mail, answer)
      await write
        .updateTable('incoming_mails')
        .set({ outcome })
        .where('message_id', '=', mail.messageId)
        .execute()
      return outcome
    })
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    await db.transaction().execute((write) => refuse(write, mail, error, receiver.baseUrl))
    return 'refused'
  }
}

async function isNew(write: Write, { messageId }: IncomingMail, outcome: Outcome): Promise<boolean> {
  const first = await write
    .insertInto('incoming_mails')
    .values({ message_id: messageId, outcome })
    .onConflict((conflict) => conflict.doNothing())
    .returning('message_id')
    .executeTakeFirst()
  return first !== undefined
}

/**
 * An answer in a mail, before it is known whether it came before and may be posted; null: it is an answer of no one.
 * @returns `post`: what posts it; it throws what is wrong with it
 */
async function answerIn(db: Database, receiver: Receiver, mail: IncomingMail) {
  const { replyAddress } = receiver
  if (replyAddress === null) return null
  const key = await findReplyKey(db, replyAddress, mail.recipients)
  const sender = key === null ? null : await senderOf(db, key)
  if (key === null || sender === null) return null
  if (mail.isForged || mail.from !== sender.email) return { sender, post: null }
  // What is wrong with it is thrown once it is known to come for the first time.
  const refuse = (error: unknown) => (): Promise<never> => Promise.reject(error)
  const post = await prepareMail(db, key, sender, mail, { ...receiver, replyAddress }).catch(refuse)
  return { sender, post }
}

async function take(
  write: Write,
  receiver: Receiver,
  mail: IncomingMail,
  answer: Awaited<ReturnType<typeof answerIn>>,
): Promise<Outcome> {
  const { replyAddress, keys } = receiver
  const returnedId = replyAddress === null ? null : returnedMailId(keys, replyAddress, mail.recipients)
  if (mail.isReturned && returnedId !== null) return noteReturned(write, sql`id = ${returnedId}`)
  if (mail.isReturned && mail.returnedKey !== null) return noteReturned(write, sql`key = ${mail.returnedKey}`)
  // Nobody writes to a return address: what comes there is a program's.
  if (mail.isAutomatic || returnedId !== null) return 'automatic'
  if (answer === null) return 'unknown'
  const { sender, post } = answer
  // The key's owner is told, whoever sent it: no mail goes to a stranger's address.
  if (post === null) throw new Refusal(sender, 'sender')
  const { count } = await countTry(write, JSON.stringify(['answer-by-mail', sender.id]), LIMIT.window)
  if (count > LIMIT.max) throw new Refusal(sender, 'often')
  await post(write, receiver)
  return 'posted'
}

async function noteReturned(write: Write, isIt: RawBuilder<unknown>): Promise<Outcome> {
  const row = await write
    .updateTable('mails')
    .set({ bounced_at: new Date() })
    .where(sql<boolean>`${isIt}`)
    .where('bounced_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  if (row !== undefined) await stopReturning(write, row.id)
  return 'returned'
}

async function refuse(write: Write, mail: IncomingMail, { sender, said }: Refusal, baseUrl: string) {
  if (!(await isNew(write, mail, 'refused'))) return
  const language = sender.language ?? 'en'
  const t = (key: string, values?: MessageValues) => translatorOf(language)(key, values)
  await writeMail(write, {
    kind: 'answer-refused',
    to: sender.email,
    personId: sender.id,
    isCapped: true,
    language,
    subject: t('mailing.refused.subject'),
    paragraphs: [t(said.key, said.values), t('mailing.refused.forum')],
    action: { text: t('mailing.refused.action'), url: `${baseUrl}/notifications` },
    footer: t('mailing.why'),
  })
}

class Refusal extends Error {
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
type MailPosting = (write: Write, forum: Omit<Surroundings, 'language'>) => Promise<void>

/**
 * The door of emails: makes an answer or a reply ready, before the transaction, for the operation that the form performs.
 * @throws Refusal
 */
async function prepareMail(
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
  const prepared = await prepare(db, operation, { actor: sender, key, input, baseUrl: ours.baseUrl })
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

type Sender = NonNullable<Awaited<ReturnType<typeof senderOf>>>

/**
 * The person who answers by mail, with the rights they have now; null: there is no such person any more, or their address is not
 * confirmed. `isAnonymous`: they have a stand-in name in the thread, and write on under it: naming oneself is a choice made in the forum.
 */
async function senderOf(db: Database, { personId, questionId }: ReplyKey) {
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
