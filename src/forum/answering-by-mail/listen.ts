import { resolve } from 'node:dns/promises'
import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import type { Readable } from 'node:stream'
import type { FastifyBaseLogger } from 'fastify'
import { authenticate } from 'mailauth'
import { SMTPServer, type SMTPServerSession } from 'smtp-server'
import type { Database } from '../../database/schema.ts'
import { countTry } from '../../database/tries.ts'
import { writeEvent } from '../../kernel/audit/note.ts'
import type { Careful } from '../../kernel/operation.ts'
import { returnedMailId } from '../../mail/return-address.ts'
import type { SecretKeys } from '../../secrets/keys.ts'
import { Task } from '../../text/thread/thread.ts'
import { networkOf } from '../../web/limits/limits.ts'
import { findReplyKey } from './keys.ts'
import type { readMail } from './read-mail.ts'
import { receiveMail } from './receive.ts'

export interface Listening {
  readonly db: Database
  readonly log: FastifyBaseLogger
  readonly replyAddress: string
  readonly baseUrl: string
  readonly keys: SecretKeys
  readonly host: string
  readonly port: number
  /** DNS; the machine's where it is left out. */
  readonly resolver?: Resolver
  /** Milliseconds that a connection may last; a minute where it is left out. */
  readonly longest?: number
  /** As Surroundings have it. */
  readonly careful?: Careful
}

/** Bytes of a mail: an answer, with what it quotes; and a report, with the mail that it is about. */
const MAX_BYTES = 64 * 1024
const MAX_REPORT_BYTES = 2 ** 20
/** Connections of a process at once, and of these from one network; their timeouts in milliseconds. */
const MAX_CLIENTS = 20
const MAX_OF_NETWORK = 5
const SOCKET_TIMEOUT_MS = 30_000
/** However busy it is: a mail of 64 KB takes seconds. */
const LONGEST_MS = 60_000
const STOP_TIMEOUT_MS = 4000
const LIMIT = { max: 60, window: 60 * 60_000 } as const

/** Milliseconds to read a mail, the beginning of its thread included: what is made for it takes a second. */
const MAX_READING_MS = 25_000
const reading = new Task<typeof readMail>(
  new URL('./read-mail.ts', import.meta.url),
  'readMail',
  MAX_READING_MS,
)

/** An answer of SMTP (RFC 5321, 4.2): with 4xx the sender's server tries again. */
class Refused extends Error {
  readonly responseCode: number

  constructor(responseCode: number, message: string) {
    super(message)
    this.responseCode = responseCode
  }
}

/**
 * Takes answers by mail by SMTP: for REPLY_ADDRESS with a token that we made, and for nobody else. Without TLS and sign-in.
 * @throws Error when it cannot listen
 */
export async function listenForMail(options: Listening): Promise<{ port: number; stop(): Promise<void> }> {
  const { log, host, port, replyAddress } = options
  const answered = (session: SMTPServerSession, act: Promise<void>, done: (error?: Error) => void) => {
    act.then(
      () => done(),
      (error: unknown) => {
        const refusal = error instanceof Refused ? error : new Refused(451, '4.3.0 Try again later')
        if (refusal !== error) log.warn({ err: error }, 'an answer by mail was not taken yet')
        const { responseCode: code, message: reason } = refusal
        writeEvent(log, 'mail-not-taken', { code, reason, address: session.remoteAddress })
        done(refusal)
      },
    )
  }
  const connections = new Connections(options.longest ?? LONGEST_MS)
  const server = new SMTPServer({
    name: replyAddress.slice(replyAddress.indexOf('@') + 1),
    banner: 'Handup',
    size: MAX_REPORT_BYTES,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    maxClients: MAX_CLIENTS,
    socketTimeout: SOCKET_TIMEOUT_MS,
    closeTimeout: STOP_TIMEOUT_MS,
    logger: false,
    onConnect: (session, done) => answered(session, connections.check(session), done),
    // A report comes from nobody; whose return address it is for, is said next.
    onMailFrom: ({ address }, session, done) =>
      answered(session, address === '' ? Promise.resolve() : checkLimit(options, session), done),
    onRcptTo: ({ address }, session, done) =>
      answered(session, checkRecipient(options, address, session), done),
    onData: (stream, session, done) => answered(session, take(options, stream, session), done),
  })
  // Clients that go away, or speak something else.
  const onError = (error: Error) => log.debug({ err: error }, 'a connection for answers by mail ended')
  server.server.on('connection', (socket: Socket) => connections.add(socket))
  server.listen(port, host)
  await once(server.server, 'listening')
  server.on('error', onError)
  const stop = () => new Promise<void>((resolve) => server.close(() => resolve()))
  return { port: (server.server.address() as AddressInfo).port, stop }
}

/** The open connections by network: a few slow clients must not keep all others out. */
class Connections {
  private readonly longest: number
  private readonly open = new Map<string, number>()

  constructor(longest: number) {
    this.longest = longest
  }

  /** Ends a connection that lasts too long, whatever it says meanwhile. */
  add(socket: Socket): void {
    const network = networkOf(socket.remoteAddress ?? '')
    const timer = setTimeout(() => socket.destroy(), this.longest)
    this.count(network, 1)
    socket.once('close', () => {
      clearTimeout(timer)
      this.count(network, -1)
    })
  }

  async check({ remoteAddress }: SMTPServerSession): Promise<void> {
    if ((this.open.get(networkOf(remoteAddress)) ?? 0) > MAX_OF_NETWORK)
      throw new Refused(421, '4.7.0 Too many connections from your network')
  }

  private count(network: string, change: 1 | -1): void {
    const count = (this.open.get(network) ?? 0) + change
    if (count === 0) this.open.delete(network)
    else this.open.set(network, count)
  }
}

async function checkLimit({ db }: Listening, { remoteAddress }: SMTPServerSession): Promise<void> {
  const name = JSON.stringify(['mail-from-network', networkOf(remoteAddress)])
  const { count } = await countTry(db, name, LIMIT.window)
  if (count > LIMIT.max)
    throw new Refused(450, '4.7.1 Too many mails from your network, try again in an hour')
}

async function checkRecipient(options: Listening, address: string, session: SMTPServerSession) {
  const { db, replyAddress } = options
  if (session.envelope.rcptTo.length > 0) throw new Refused(452, '4.5.3 One recipient at a time')
  if (isReturnAddress(options, address)) return
  if (senderIn(session) === '') await checkLimit(options, session)
  if ((await findReplyKey(db, replyAddress, [address])) === null)
    throw new Refused(550, '5.1.1 No such address here, or it is older than 90 days')
}

/** Who knows one, has got the mail, or returns it: no signature is asked for. */
function isReturnAddress({ keys, replyAddress }: Listening, address: string): boolean {
  return returnedMailId(keys, replyAddress, [address]) !== null
}

const senderIn = ({ envelope }: SMTPServerSession): string =>
  envelope.mailFrom === false ? '' : envelope.mailFrom.address

async function take(options: Listening, stream: Readable, session: SMTPServerSession): Promise<void> {
  const { db, log } = options
  const recipients = session.envelope.rcptTo.map(({ address }) => address)
  const isReturn = recipients.some((address) => isReturnAddress(options, address))
  const raw = await bytesOf(stream, isReturn ? MAX_REPORT_BYTES : MAX_BYTES)
  const read = await reading.call(raw).catch(() => {
    throw new Refused(554, '5.6.0 That is no mail')
  })
  const { remoteAddress: ip, hostNameAppearsAs: helo } = session
  const from = { ip, helo, sender: senderIn(session) }
  const authenticity = isReturn ? 'authentic' : await authenticityOf(raw, read.from, from, options.resolver)
  if (authenticity === 'unknown') throw new Refused(451, '4.4.3 DNS does not answer, try again later')
  const outcome = await receiveMail(
    db,
    { ...options, log: (name, details) => writeEvent(log, name, details) },
    {
      ...read,
      recipients,
      isForged: authenticity === 'forged',
      isAutomatic: read.isAutomatic || isReturn || from.sender === '',
      // Its own headers prove nothing: the address that it came to has the key.
      returnedKey: null,
    },
  )
  writeEvent(log, 'mail-received', { outcome })
}

/** Reads to the end, as SMTP asks, also what is too large. */
async function bytesOf(stream: Readable, max: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stream) {
    size += chunk.length
    if (size <= max) chunks.push(chunk)
  }
  if (size > max) throw new Refused(552, '5.3.4 A mail has 64 KB at most: answer without attachments')
  return Buffer.concat(chunks)
}

export type Resolver = (name: string, type: string) => Promise<unknown>

/** What no mail program writes, and what takes the square of its length to read: lines of the headers, and blanks in a row. */
const MAX_HEADER_LINES = 1000
const MANY_BLANKS = /\s{200}/

/**
 * Whether a mail is from the address in its From, by SPF, DKIM and DMARC (RFC 7208, 6376, 7489). Where the address's domain has no
 * DMARC policy, a signature or SPF must still be of this very domain: whoever has neither is not known.
 * @param from as the mail was read; one that can be read in two ways is forged
 * @param delivery where it came from, as its SMTP connection said; `sender`: of the envelope, '' for reports
 * @returns 'unknown': DNS did not answer, so that the mail has to come again
 */
export async function authenticityOf(
  raw: Buffer,
  from: string,
  { ip, helo, sender }: Readonly<Record<'ip' | 'helo' | 'sender', string>>,
  resolver: Resolver = resolve as Resolver,
): Promise<'authentic' | 'forged' | 'unknown'> {
  if (hasStrangeHeaders(raw)) return 'forged'
  const options = { ip, helo, sender, resolver, trustReceived: false, disableArc: true, disableBimi: true }
  const { dkim, spf, dmarc } = await authenticate(raw, options as Parameters<typeof authenticate>[1])
  const [address, ...others] = [dkim.headerFrom].flat()
  if (others.length > 0 || address?.toLowerCase() !== from || from === '' || !dmarc) return 'forged'
  const domain = from.slice(from.lastIndexOf('@') + 1)
  const isSent = spf !== false && spf.status.result === 'pass' && sender.toLowerCase().endsWith(`@${domain}`)
  const isSigned = dkim.results.some(
    ({ status, signingDomain }) =>
      // A signature of the beginning alone says nothing of the rest.
      status.result === 'pass' && !status.underSized && signingDomain?.toLowerCase() === domain,
  )
  const { spf: bySender, dkim: bySignature } = dmarc.alignment ?? {}
  const isAligned = Boolean(bySender?.result) || (Boolean(bySignature?.result) && !bySignature?.underSized)
  if (isSent || isSigned || (dmarc.status.result === 'pass' && isAligned)) return 'authentic'
  const checks = [dmarc.status, spf !== false && spf.status, ...dkim.results.map(({ status }) => status)]
  return checks.some((status) => status && status.result === 'temperror') ? 'unknown' : 'forged'
}

function hasStrangeHeaders(raw: Buffer): boolean {
  const [headers = ''] = raw.toString('latin1').split(/\r?\n\r?\n/, 1)
  return MANY_BLANKS.test(headers) || headers.split('\n').length > MAX_HEADER_LINES
}
