import { createHash } from 'node:crypto'
import { Script } from 'node:vm'
import PostalMime, { type Address, type Attachment, addressParser, type Email } from 'postal-mime'
import TurndownService from 'turndown'

export interface IncomingMail {
  /** Names it: delivered again, it is the same. */
  readonly messageId: string
  /** In lower case; '' where there is none. */
  readonly from: string
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
  readonly subject: string
  readonly text: string
  /** Names of its other parts, which are not taken. */
  readonly attachments: readonly string[]
}

/** Bytes of a mail that are read: with attachments, which are named and left out. */
export const MAX_MAIL_BYTES = 15 * 2 ** 20
/** Characters of its text, with what it answers. */
const MAX_TEXT_LENGTH = 128 * 1024
/** Milliseconds to make text of HTML, which is slow where it is made for that. */
const MAX_READING_MS = 1000

/** @throws Error for what is no mail, or takes too long to read */
export async function readMail(raw: Uint8Array): Promise<IncomingMail> {
  const unread = withoutFlow(raw)
  const email = await PostalMime.parse(unread.raw, {
    ...{ maxNestingDepth: 20, maxHeadersSize: 256 * 1024 },
    // An email in it is a part of its own, not what was written.
    forceRfc822Attachments: true,
  })
  const header = (name: string) => email.headers.find(({ key }) => key === name)?.value ?? ''
  const text = withinTime(MAX_READING_MS, () => textOf(email, unread))
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
    subject: email.subject ?? '',
    text,
    attachments: email.attachments
      .filter((part) => !isEnvelope(part))
      .map(({ filename, mimeType }) => (filename || mimeType).slice(0, 100)),
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

/** Signatures of S/MIME and PGP, and what Outlook wraps its formats in: nobody attached them. */
function isEnvelope({ mimeType, filename }: Attachment): boolean {
  const isKind = /^application\/(?:(?:x-)?pkcs7-signature|pgp-signature|(?:vnd\.)?ms-tnef)$/i.test(mimeType)
  return isKind || /^(?:winmail\.dat|smime\.p7s)$/i.test(filename ?? '')
}

function textOf({ text = '', html = '' }: Email, { unflowed }: ReturnType<typeof withoutFlow>): string {
  const plain = unflowed(text.slice(0, MAX_TEXT_LENGTH))
  const read = /[^\s\p{Cf}]/u.test(plain) ? plain : textOfHtml(html)
  return withoutArmour(read.replaceAll('\r\n', '\n'))
}

const SIGNED =
  /^\s*-----BEGIN PGP SIGNED MESSAGE-----\n(?:[\w-]+: .*\n)*\n([\s\S]*?)\n-----BEGIN PGP SIGNATURE-----\n[\s\S]*?-----END PGP SIGNATURE-----/

/** Of a text that is signed without being a part of its own (RFC 9580, 7), what is signed; of one that is encrypted, nothing. */
function withoutArmour(text: string): string {
  if (/^\s*-----BEGIN PGP MESSAGE-----/.test(text)) return ''
  return text.replace(SIGNED, (_all, signed: string) => signed.replace(/^- /gm, ''))
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

function reportIn(raw: Uint8Array, email: Email): string {
  const parts = email.attachments.map(({ content }) =>
    typeof content === 'string' ? content : Buffer.from(content as ArrayBuffer).toString('latin1'),
  )
  return [Buffer.from(raw.subarray(0, 256 * 1024)).toString('latin1'), ...parts].join('\n')
}

/** For emails without a part of plain text: they become Markdown. */
function textOfHtml(html: string): string {
  const service = new TurndownService({ codeBlockStyle: 'fenced', headingStyle: 'atx' })
  service.remove(['style', 'script', 'head', 'title'])
  // Pictures in the email are parts of it.
  service.addRule('part', {
    filter: (node) => node.nodeName === 'IMG' && /^cid:/i.test(node.getAttribute('src') ?? ''),
    replacement: () => '',
  })
  const markdown = service.turndown(html.slice(0, MAX_TEXT_LENGTH))
  return markdown.replace(/^\\?--[^\S\n]*$/gm, '-- ')
}

function addressesIn(...addresses: readonly (Address | undefined)[]): string[] {
  return addresses.flatMap((address) => {
    if (address === undefined) return []
    const found = address.group === undefined ? [address.address] : address.group.map((one) => one.address)
    return found.filter((one) => one !== undefined).map((one) => one.toLowerCase())
  })
}

const HEADERS = /(^(?:From [^\n]*\n)?|\n--[^\n]*\n)((?:[^\s:]+:[^\n]*\n(?:[ \t][^\n]*\n)*)+)/g
const FLOWED = /(content-type:\s*text\/plain\b(?:[^\n]|\n[ \t])*?\bformat\s*=\s*"?)flowed/i
const DELETES_BLANKS = /\bdelsp\s*=\s*"?yes/i
const QUOTES = /^>*/

/**
 * Keeps the parser from joining flowed lines: it joins what is written with what it quotes, and across empty lines.
 * @returns the mail with its lines as they came; `unflowed` makes of text in flowed lines (RFC 3676) those that were written
 */
function withoutFlow(raw: Uint8Array) {
  let isFlowed = false
  let deletesBlanks = false
  const fixed = Buffer.from(raw)
    .toString('latin1')
    .replace(HEADERS, (_all, before: string, headers: string) => {
      const unflowed = headers.replace(FLOWED, '$1fixed')
      isFlowed ||= unflowed !== headers
      deletesBlanks ||= unflowed !== headers && DELETES_BLANKS.test(headers)
      return before + unflowed
    })
  return {
    raw: Buffer.from(fixed, 'latin1'),
    unflowed: (text: string) => (isFlowed ? joinedLines(text, deletesBlanks) : text),
  }
}

/** A line that ends with a blank goes on in the next one of the same depth; a signature's sign and an empty line end it. */
function joinedLines(text: string, deletesBlanks: boolean): string {
  const lines: string[] = []
  let open: string | null = null
  for (const line of text.split(/\r?\n/)) {
    const [quotes = ''] = QUOTES.exec(line) ?? []
    const content = line.slice(quotes.length).replace(/^ /, '')
    const goesOn = open === quotes && content !== '' && content !== '-- '
    if (goesOn) lines[lines.length - 1] += content
    else lines.push(quotes === '' ? content : `${quotes} ${content}`)
    open = content.endsWith(' ') && content !== '-- ' ? quotes : null
    if (open !== null && deletesBlanks) lines[lines.length - 1] = lines.at(-1)?.slice(0, -1) ?? ''
  }
  return lines.join('\n')
}

const CALL = new Script('act()')

/**
 * Calls a function that must not take long: regular expressions of others on texts of strangers. All else waits meanwhile.
 * @throws Error when it takes longer, with code ERR_SCRIPT_EXECUTION_TIMEOUT; what the function throws
 */
function withinTime<Made>(milliseconds: number, make: () => Made): Made {
  const made: Made[] = []
  CALL.runInNewContext({ act: () => void made.push(make()) }, { timeout: milliseconds })
  return made[0] as Made
}
