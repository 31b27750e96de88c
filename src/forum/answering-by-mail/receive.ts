import { type RawBuilder, sql } from 'kysely'
import type { Config } from '../../config.ts'
import type { Database, Write } from '../../database/schema.ts'
import { countTry } from '../../database/tries.ts'
import { stopReturning } from '../../mail/outbox.ts'
import { returnedMailId } from '../../mail/return-address.ts'
import { writeMail } from '../../mail/write-mail.ts'
import { type MessageValues, translatorOf } from '../../messages/catalogue.ts'
import { inTransaction, type Surroundings } from '../../operations/perform.ts'
import type { SecretKeys } from '../../secrets/keys.ts'
import { findReplyKey } from './keys.ts'
import { type MailPosting, prepareMail, Refusal, type Sender, senderOf } from './post-mail.ts'
import type { IncomingMail } from './read-mail.ts'

/** What became of a mail. All but 'posted' post nothing; 'refused' tells the sender why. */
export type Outcome = 'posted' | 'again' | 'automatic' | 'returned' | 'unknown' | 'refused'

export interface Receiver extends Pick<Config, 'replyAddress' | 'baseUrl'>, Pick<Surroundings, 'log'> {
  /** Signs the return addresses of mails. */
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
      const first = await write
        .insertInto('incoming_mails')
        .values({ message_id: mail.messageId, outcome: 'posted' })
        .onConflict((conflict) => conflict.doNothing())
        .returning('message_id')
        .executeTakeFirst()
      if (first === undefined) return 'again'
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

/** An answer in a mail, before it is known whether it came before and may be posted. */
interface Answer {
  readonly sender: Sender
  /** What posts it; it throws what is wrong with it. */
  readonly post: MailPosting
}

/** null: it is an answer of no one. */
async function answerIn(db: Database, receiver: Receiver, mail: IncomingMail): Promise<Answer | null> {
  const { replyAddress } = receiver
  if (replyAddress === null) return null
  const key = await findReplyKey(db, replyAddress, mail.recipients)
  const sender = key === null ? null : await senderOf(db, key)
  if (key === null || sender === null) return null
  const refuse =
    (error: unknown): MailPosting =>
    async () => {
      throw error
    }
  const isTheirs = !mail.isForged && mail.from === sender.email
  return {
    sender,
    post: isTheirs
      ? await prepareMail(db, key, sender, mail, { ...receiver, replyAddress }).catch(refuse)
      : refuse(new Refusal(sender, 'sender')),
  }
}

async function take(
  write: Write,
  receiver: Receiver,
  mail: IncomingMail,
  answer: Answer | null,
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
  if (mail.isForged || mail.from !== sender.email) throw new Refusal(sender, 'sender')
  const { count } = await countTry(write, JSON.stringify(['answer-by-mail', sender.id]), LIMIT.window)
  if (count > LIMIT.max) throw new Refusal(sender, 'often')
  await post(write, receiver)
  return 'posted'
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
