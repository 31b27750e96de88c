import { createHash } from 'node:crypto'
import EmailReplyParser from 'email-reply-parser'
import PostalMime, { type Address, addressParser, type Email } from 'postal-mime'
import TurndownService from 'turndown'
import { LANGUAGES, translatorOf } from '../../messages/catalogue.ts'
import { aboveQuotation, aboveQuotes } from './quotation.ts'
import { withinTime } from './within-time.ts'

/** A mail as far as answering goes. */
export interface IncomingMail {
  /** Names it: delivered again, it is the same. */
  readonly messageId: string
  /** In lower case; '' where there is none. */
  readonly from: string
  /** Everybody it was sent or delivered to. */
  readonly recipients: readonly string[]
  /** Nobody wrote it: an automatic answer, a list's, a report. */
  readonly isAutomatic: boolean
  /** It reports that a mail could not be delivered and never will be (RFC 3464): no delay, no absence. */
  readonly isReturned: boolean
  /** The key of our own mail that it reports on; null: it names none. */
  readonly returnedKey: string | null
  /** It names two senders, so that one can be checked and the other shown; or our own mail server found its address forged. */
  readonly isForged: boolean
  /** The sender's name as their mail program has it; '' where it has none. */
  readonly fromName: string
  /** What was written, without what it answers and without a signature. */
  readonly text: string
  /** Of this only what stands above all that is quoted. */
  readonly above: string
  /** Names of attachments, which are not taken. */
  readonly attachments: readonly string[]
}

/** Bytes of a mail that are read: with attachments, which are named and left out. */
export const MAX_MAIL_BYTES = 15 * 2 ** 20
/** Characters of its text: more is no answer that somebody typed. */
export const MAX_TEXT_LENGTH = 64 * 1024
/** Milliseconds to find what was written: the patterns for what mail programs quote are slow on mails that are made for it. */
const MAX_READING_MS = 1000

/** @throws Error for what is no mail, or takes too long to read */
export async function readMail(raw: Uint8Array): Promise<IncomingMail> {
  const email = await PostalMime.parse(raw, { maxNestingDepth: 20, maxHeadersSize: 256 * 1024 })
  const header = (name: string) => email.headers.find(({ key }) => key === name)?.value ?? ''
  const text = withinTime(MAX_READING_MS, () => textOf(email))
  const isReport = /multipart\/report/i.test(header('content-type'))
  const isReturned = isReport && /^action:\s*failed\b/im.test(reportIn(raw, email))
  return {
    messageId: (nameOf(email) ?? createHash('sha256').update(raw).digest('hex')).slice(0, 300),
    from: addressesIn(email.from)[0] ?? '',
    fromName: email.from?.name ?? '',
    recipients: [
      ...addressesIn(...(email.to ?? []), ...(email.cc ?? [])),
      ...['delivered-to', 'x-original-to', 'envelope-to', 'x-envelope-to'].flatMap((name) =>
        email.headers
          .filter(({ key }) => key === name)
          .map(({ value }) => value.trim().replace(/^<|>$/g, '')),
      ),
    ],
    isAutomatic: isReport || isAutomatic(header, email),
    isReturned,
    returnedKey: isReturned ? returnedKeyIn(raw, email) : null,
    isForged: hasManySenders(email) || /\bdmarc=fail\b/i.test(header('authentication-results')),
    text,
    above: aboveQuotes(text),
    attachments: email.attachments
      .filter(({ disposition }) => disposition === 'attachment')
      .map(({ filename }) => (filename ?? '?').slice(0, 100)),
  }
}

/** Whether it has several headers From, or several addresses in it (RFC 7489, 6.6.1). */
function hasManySenders({ headers }: Email): boolean {
  const senders = headers.filter(({ key }) => key === 'from')
  return senders.length > 1 || senders.some(({ value }) => addressesIn(...addressParser(value)).length > 1)
}

/** Its Message-ID; null for one that names nothing. */
function nameOf({ messageId = '' }: Email): string | null {
  return /[^<>\s]/.test(messageId) && !/\p{Cc}/u.test(messageId) ? messageId : null
}

/** What was written; a text that is too long stays as it is. */
function textOf({ text: plain, html }: Email): string {
  const text = (plain ?? textOfHtml(html ?? '')).slice(0, MAX_TEXT_LENGTH + 1)
  return text.length > MAX_TEXT_LENGTH ? text : writtenIn(text)
}

/** RFC 3834, and what programs say that do not know it. */
function isAutomatic(header: (name: string) => string, { from }: Email): boolean {
  const submitted = header('auto-submitted').toLowerCase()
  return (
    (submitted !== '' && !submitted.startsWith('no')) ||
    /^(bulk|junk|list|auto_reply)$/i.test(header('precedence').trim()) ||
    ['x-autoreply', 'x-autorespond', 'x-auto-reply', 'list-id', 'list-unsubscribe'].some(
      (name) => header(name) !== '',
    ) ||
    header('return-path').trim() === '<>' ||
    /^(mailer-daemon|postmaster|no-?reply)@/i.test(addressesIn(from)[0] ?? '')
  )
}

/** The key of our mail that a report is about, in the header of it that the report repeats. */
function returnedKeyIn(raw: Uint8Array, email: Email): string | null {
  const key = /^message-id:\s*<([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})@/im
  return key.exec(reportIn(raw, email))?.[1] ?? null
}

/** The parts of a report. */
function reportIn(raw: Uint8Array, email: Email): string {
  const parts = email.attachments.map(({ content }) =>
    typeof content === 'string' ? content : Buffer.from(content as ArrayBuffer).toString('latin1'),
  )
  return [Buffer.from(raw.subarray(0, 256 * 1024)).toString('latin1'), ...parts].join('\n')
}

/** Above our own first line, or else what the parser of answers takes for written. */
function writtenIn(text: string): string {
  const marks = LANGUAGES.map((language) => translatorOf(language)('mailing.answer'))
  const flat = text.replaceAll('\r\n', '\n')
  const ends = marks.map((mark) => flat.search(looselySpaced(mark))).filter((at) => at >= 0)
  const above = ends.length === 0 ? flat : flat.slice(0, Math.min(...ends)).replace(/\n[> \t]*$/, '\n')
  return new EmailReplyParser().parseReply(aboveQuotation(above)).trim()
}

/** Mail programs break lines and put signs before them. Our own sentence: no user's text becomes a pattern. */
function looselySpaced(sentence: string): RegExp {
  const words = sentence.split(' ').map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(words.join('[\\s>]{1,20}'))
}

/** For mails without a part of plain text, which are few: what they quote goes, the rest becomes Markdown. */
function textOfHtml(html: string): string {
  const service = new TurndownService({ codeBlockStyle: 'fenced', headingStyle: 'atx' })
  return service
    .remove(['blockquote', 'style', 'script', 'head', 'title'])
    .turndown(html.slice(0, 4 * MAX_TEXT_LENGTH))
}

function addressesIn(...addresses: readonly (Address | undefined)[]): string[] {
  return addresses.flatMap((address) => {
    if (address === undefined) return []
    const found = address.group === undefined ? [address.address] : address.group.map((one) => one.address)
    return found.filter((one) => one !== undefined).map((one) => one.toLowerCase())
  })
}
