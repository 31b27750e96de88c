import { type RawBuilder, sql } from 'kysely'
import type { Config } from '../../config.ts'
import type { Database, Write } from '../../database/schema.ts'
import { countTry } from '../../database/tries.ts'
import { stopReturning } from '../../mail/outbox.ts'
import { returnedMailId } from '../../mail/return-address.ts'
import { writeMail } from '../../mail/write-mail.ts'
import { type Message, type MessageValues, translatorOf } from '../../messages/catalogue.ts'
import { performIn, type Surroundings } from '../../operations/perform.ts'
import { Problem } from '../../operations/problem.ts'
import { Refused } from '../../operations/refused.ts'
import { Suspended } from '../../operations/suspended.ts'
import type { SecretKeys } from '../../secrets/keys.ts'
import { prepareMarkdown } from '../../text/markdown.ts'
import { tellsAuthor } from '../../text/own-name.ts'
import { postAnswer } from '../answers/operations.ts'
import { replyToAnswer, replyToQuestion } from '../replies/operations.ts'
import { findReplyKey, type ReplyKey } from './keys.ts'
import { type IncomingMail, MAX_TEXT_LENGTH } from './read-mail.ts'
import { type Sender, senderOf } from './sender.ts'

/** What became of a mail. All but 'posted' post nothing; 'refused' tells the sender why. */
export type Outcome = 'posted' | 'again' | 'automatic' | 'returned' | 'unknown' | 'refused'

/** Where mail comes to. */
export interface Receiver extends Pick<Config, 'replyAddress' | 'baseUrl'>, Pick<Surroundings, 'log'> {
  /** Signs the return addresses of mails. */
  readonly keys: SecretKeys
}

/** Answers by mail of one person: more is a program's. */
const LIMIT = { max: 60, window: 60 * 60_000 } as const

/** Takes a mail that came to REPLY_ADDRESS, once. The rights, limits and bounds are those of the forms. */
export async function receiveMail(db: Database, receiver: Receiver, mail: IncomingMail): Promise<Outcome> {
  try {
    return await db.transaction().execute(async (write) => {
      const first = await write
        .insertInto('incoming_mails')
        .values({ message_id: mail.messageId, outcome: 'posted' })
        .onConflict((conflict) => conflict.doNothing())
        .returning('message_id')
        .executeTakeFirst()
      if (first === undefined) return 'again'
      const outcome = await take(write, receiver, mail)
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

/** Why an answer was not posted, for its sender. */
class Refusal extends Error {
  readonly sender: Sender
  /** The message that says why. */
  readonly said: Message

  constructor(sender: Sender, reason: 'sender' | 'text' | 'named' | 'right' | 'often', said?: Message) {
    super(reason)
    this.sender = sender
    this.said = said ?? { key: `mailing.refused.${reason}` }
  }
}

async function take(write: Write, receiver: Receiver, mail: IncomingMail): Promise<Outcome> {
  const { replyAddress, keys } = receiver
  const returnedId = replyAddress === null ? null : returnedMailId(keys, replyAddress, mail.recipients)
  if (mail.isReturned && returnedId !== null) return noteReturned(write, sql`id = ${returnedId}`)
  if (mail.isReturned && mail.returnedKey !== null) return noteReturned(write, sql`key = ${mail.returnedKey}`)
  // Nobody writes to a return address: what comes there is a program's.
  if (mail.isAutomatic || returnedId !== null) return 'automatic'
  const key = replyAddress === null ? null : await findReplyKey(write, replyAddress, mail.recipients)
  const sender = key === null ? null : await senderOf(write, key.personId)
  if (key === null || sender === null) return 'unknown'
  // The key's owner is told, whoever sent it: no mail goes to a stranger's address.
  if (mail.isForged || mail.from !== sender.email) throw new Refusal(sender, 'sender')
  const { count } = await countTry(write, JSON.stringify(['answer-by-mail', sender.id]), LIMIT.window)
  if (count > LIMIT.max) throw new Refusal(sender, 'often')
  await post(write, key, sender, { mail, receiver })
  return 'posted'
}

async function post(
  write: Write,
  { questionId, answerId, isAnswer }: ReplyKey,
  sender: Sender,
  { mail, receiver }: { readonly mail: IncomingMail; readonly receiver: Receiver },
): Promise<void> {
  const isAnonymous = await isAnonymousIn(write, { questionId, personId: sender.id })
  const text = isAnonymous ? mail.above : mail.text
  if (mail.text.length > MAX_TEXT_LENGTH || text === '') throw new Refusal(sender, 'text')
  const body = isAnonymous ? text : withAttachments(mail, sender)
  if (isAnonymous && tellsAuthor(body, [sender.displayName, mail.fromName], [sender.email, mail.from]))
    throw new Refusal(sender, 'named')
  await prepareMarkdown([body])
  const call = { actor: sender, input: { body, anonymous: isAnonymous } }
  const surroundings = { ...receiver, language: sender.language ?? 'en' }
  try {
    if (isAnswer) await performIn(write, postAnswer, { ...call, key: questionId }, surroundings)
    else if (answerId === null)
      await performIn(write, replyToQuestion, { ...call, key: questionId }, surroundings)
    else await performIn(write, replyToAnswer, { ...call, key: answerId }, surroundings)
  } catch (error) {
    if (error instanceof Refused) throw new Refusal(sender, 'text', error.errors[0]?.message)
    if (error instanceof Suspended) throw new Refusal(sender, 'right', error.text)
    throw error instanceof Problem ? new Refusal(sender, 'right') : error
  }
}

/** Whoever has a stand-in name in the thread writes on under it: naming oneself is a choice made in the forum. */
async function isAnonymousIn(
  write: Write,
  { questionId, personId }: Pick<ReplyKey, 'questionId' | 'personId'>,
): Promise<boolean> {
  const standIn = await write
    .selectFrom('stand_ins')
    .select('number')
    .where('question_id', '=', questionId)
    .where('person_id', '=', personId)
    .executeTakeFirst()
  return standIn !== undefined
}

/** Attachments are named, so that readers know of them: never of an anonymous post, as their names often have the author's. */
function withAttachments({ text, attachments }: IncomingMail, { language }: Sender): string {
  if (attachments.length === 0) return text
  const names = attachments.join(', ').replace(/[`\n\r]/g, ' ')
  return `${text}\n\n${translatorOf(language ?? 'en')('mailing.attachments', { names })}`
}

/** Our own mail could not be delivered, though the mail server had taken it. */
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
  const first = await write
    .insertInto('incoming_mails')
    .values({ message_id: mail.messageId, outcome: 'refused' })
    .onConflict((conflict) => conflict.doNothing())
    .returning('message_id')
    .executeTakeFirst()
  if (first === undefined) return
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
