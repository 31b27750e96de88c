import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'
import type { Database } from '../database/schema.ts'
import { atEnd, type Ending } from '../testing/at-end.ts'
import type { Letter } from './letter.ts'
import { writeMail } from './write-mail.ts'

/** A mail as received. */
export interface Arrived {
  readonly from: string
  readonly to: readonly string[]
  /** Headers and body as sent over the wire. */
  readonly source: string
  readonly isEncrypted: boolean
  readonly messageId: string
}

/** A real SMTP server with the failures of mail servers: it goes down, hangs, rejects, and comes back. */
export interface TestMailServer {
  /** For SMTP_URL; the same after a restart. */
  readonly url: string
  /** Offers STARTTLS from its next start on, with a certificate that nobody signed. */
  hasOwnCertificate: boolean
  /** Mails it accepted, in order. */
  readonly arrived: Arrived[]
  /** Connections that were made to it. */
  connections: number
  /** Messages and recipients that it refused. */
  refusals: number
  /** Answers each message with this error; null: accepts it. */
  refuseWith: {
    readonly code: number
    readonly text: string
    readonly at: 'sender' | 'recipient' | 'message'
  } | null
  /** The only sender that is accepted while senders are refused. */
  ownSender: string
  /** Awaited before a message is accepted. */
  beforeAcknowledging: () => Promise<void>
  /** Stops listening. */
  goAway(): Promise<void>
  /** Accepts connections and never answers. */
  goSilent(): Promise<void>
  comeBack(): Promise<void>
}

export async function aMailServer(test: Ending): Promise<TestMailServer> {
  let [close, port] = [async () => {}, 0]
  const server: TestMailServer = {
    get url() {
      return `smtp://127.0.0.1:${port}`
    },
    hasOwnCertificate: false,
    arrived: [],
    connections: 0,
    refusals: 0,
    refuseWith: null,
    ownSender: '',
    beforeAcknowledging: async () => {},
    goAway: () => close(),
    goSilent: async () => {
      await close()
      close = await listen(silence(), port)
    },
    comeBack: async () => {
      await close()
      const smtp = smtpServer(server)
      close = await listen(smtp.server, port, () => smtp.close())
      port = (smtp.server.address() as AddressInfo).port
    },
  }
  await server.comeBack()
  atEnd(test, () => close())
  return server
}

/** A letter as any feature could have written it. */
export function aLetter(options: Partial<Letter> = {}): Letter {
  return {
    kind: 'test',
    to: 'mina@example.org',
    personId: null,
    isCapped: false,
    language: 'en',
    subject: 'A test',
    paragraphs: ['Nothing happened.'],
    action: { text: 'Look', url: 'https://forum.example/look' },
    footer: 'You test this forum.',
    ...options,
  }
}

/** Adds letters to the outbox, one transaction each. */
export async function someMail(db: Database, ...letters: readonly Partial<Letter>[]): Promise<void> {
  for (const letter of letters) await db.transaction().execute((write) => writeMail(write, aLetter(letter)))
}

function smtpServer(server: TestMailServer): SMTPServer {
  const refusal = (at: 'sender' | 'recipient' | 'message', address = '') => {
    if (at === 'sender' && address === server.ownSender) return null
    if (server.refuseWith?.at !== at) return null
    server.refusals += 1
    return Object.assign(new Error(server.refuseWith.text), { responseCode: server.refuseWith.code })
  }
  return new SMTPServer({
    authOptional: true,
    disabledCommands: server.hasOwnCertificate ? [] : ['STARTTLS'],
    logger: false,
    closeTimeout: 10,
    onConnect: (_session, done) => {
      server.connections += 1
      done()
    },
    onMailFrom: ({ address }, _session, done) => done(refusal('sender', address)),
    onRcptTo: (_address, _session, done) => done(refusal('recipient')),
    onData: async (stream, session, done) => {
      // The client disconnected halfway.
      const source = await text(stream).catch(() => null)
      if (source === null) return done(new Error('the connection was closed'))
      const refused = refusal('message')
      if (refused !== null) return done(refused)
      await server.beforeAcknowledging()
      const { mailFrom, rcptTo } = session.envelope
      server.arrived.push({
        from: mailFrom === false || mailFrom === null ? '' : mailFrom.address,
        to: rcptTo.map(({ address }) => address),
        source,
        isEncrypted: session.secure,
        messageId: /^message-id: (.*)$/im.exec(source)?.[1] ?? '',
      })
      done()
    },
  })
}

function silence(): Server {
  return createServer((socket) => socket.on('error', () => socket.destroy()))
}

/** @returns a function that stops listening and cuts all connections */
async function listen(server: Server, port: number, more = () => {}): Promise<() => Promise<void>> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return async () => {
    if (!server.listening) return
    const closed = new Promise((resolve) => server.close(resolve))
    for (const socket of sockets) socket.destroy()
    more()
    await closed
  }
}
