import type { Write } from '../../database/schema.ts'
import { type Message, translatorOf } from '../../messages/catalogue.ts'
import { performIn, type Surroundings } from '../../operations/perform.ts'
import { Problem } from '../../operations/problem.ts'
import { Refused } from '../../operations/refused.ts'
import { Suspended } from '../../operations/suspended.ts'
import { prepareMarkdown } from '../../text/markdown.ts'
import { tellsAuthor } from '../../text/own-name.ts'
import { postAnswer } from '../answers/operations.ts'
import { replyToAnswer, replyToQuestion } from '../replies/operations.ts'
import type { ReplyKey } from './keys.ts'
import { type IncomingMail, MAX_TEXT_LENGTH } from './read-mail.ts'
import type { Sender } from './sender.ts'

/** Why an answer was not posted, for its sender. */
export class Refusal extends Error {
  readonly sender: Sender
  /** The message that says why. */
  readonly said: Message

  constructor(sender: Sender, reason: 'sender' | 'text' | 'named' | 'right' | 'often', said?: Message) {
    super(reason)
    this.sender = sender
    this.said = said ?? { key: `mailing.refused.${reason}` }
  }
}

/**
 * The door of emails: posts an answer or a reply by the operation that the form performs.
 * @throws Refusal; nothing is posted then
 */
export async function postMail(
  write: Write,
  { questionId, answerId, isAnswer }: ReplyKey,
  sender: Sender,
  mail: IncomingMail,
  forum: Omit<Surroundings, 'language'>,
): Promise<void> {
  const { isAnonymous } = sender
  const text = isAnonymous ? mail.above : mail.text
  if (mail.text.length > MAX_TEXT_LENGTH || text === '') throw new Refusal(sender, 'text')
  const body = isAnonymous ? text : withAttachments(mail, sender)
  if (isAnonymous && tellsAuthor(body, [sender.displayName, mail.fromName], [sender.email, mail.from]))
    throw new Refusal(sender, 'named')
  await prepareMarkdown([body])
  const call = { actor: sender, key: questionId, input: { body, anonymous: isAnonymous } }
  const surroundings = { ...forum, language: sender.language ?? 'en' }
  try {
    if (isAnswer) await performIn(write, postAnswer, call, surroundings)
    else if (answerId === null) await performIn(write, replyToQuestion, call, surroundings)
    else await performIn(write, replyToAnswer, { ...call, key: answerId }, surroundings)
  } catch (error) {
    if (error instanceof Refused) throw new Refusal(sender, 'text', error.errors[0]?.message)
    if (error instanceof Suspended) throw new Refusal(sender, 'right', error.text)
    throw error instanceof Problem ? new Refusal(sender, 'right') : error
  }
}

/** Attachments are named, so that readers know of them: never of an anonymous post, as their names often have the author's. */
function withAttachments({ text, attachments }: IncomingMail, { language }: Sender): string {
  if (attachments.length === 0) return text
  const names = attachments.join(', ').replace(/[`\n\r]/g, ' ')
  return `${text}\n\n${translatorOf(language ?? 'en')('mailing.attachments', { names })}`
}
