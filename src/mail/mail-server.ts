import { createTransport } from 'nodemailer'
import { MAIL_CONNECTIONS } from '../config.ts'
import { isRefusalOfSender } from './refusal.ts'
import type { Mail } from './renewal.ts'
import { tlsOf } from './tls.ts'

export type MailServer = ReturnType<typeof mailServer>

export interface Sender {
  readonly url: string
  readonly from: string
  /** The forum's domain: the right side of each Message-ID. */
  readonly host: string
  /** Deliveries at once. */
  readonly connections?: number
  /** Where a mail of this id comes back to; null: to `from`. */
  readonly returnAddress?: ((mailId: number) => string) | null
  /** The server does not take mail with such a return address: it is sent without from now on. */
  readonly onReturnRefused?: (error: Error) => void
}

/** Timeouts of a silent server. send-mail.ts limits the whole delivery. */
const TIMEOUTS_MS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 }
/** Mails over one connection, and milliseconds that it stays open without any: servers end connections that are older. */
const OF_CONNECTION = { maxMessages: 100, idleTimeout: 10_000, maxRequeues: 1 }

/** The server in SMTP_URL. Its connections are kept for the mails that follow; one that failed is not used again. */
export function mailServer(sender: Sender) {
  const { url, from, host, connections = MAIL_CONNECTIONS, onReturnRefused } = sender
  const transport = createTransport({
    ...{ ...TIMEOUTS_MS, ...OF_CONNECTION, url, disableFileAccess: true, disableUrlAccess: true },
    ...{ pool: true, maxConnections: connections, tls: tlsOf(url) },
  })
  let returnAddress = sender.returnAddress ?? null
  const deliver = (mail: Mail, returnsTo: string, signal: AbortSignal) =>
    transport.sendMail({
      signal,
      envelope: { from: { name: '', address: returnsTo }, to: { name: '', address: mail.recipient } },
      messageId: `<${mail.key}@${host}>`,
      date: mail.writtenAt,
      from: { name: 'Handup', address: from },
      to: { name: '', address: mail.recipient },
      subject: mail.subject,
      text: mail.text,
      html: mail.html,
      // RFC 3834: suppresses automatic replies.
      headers: { 'Auto-Submitted': 'auto-generated', 'Content-Language': mail.language, ...mail.headers },
    })
  return {
    /**
     * @returns the server's answer.
     * @throws Error when it has not accepted the mail, or the outcome is unknown
     */
    async send(mail: Mail, signal: AbortSignal): Promise<string> {
      const own = returnAddress?.(mail.id)
      try {
        return (await deliver(mail, own ?? from, signal)).response
      } catch (error) {
        if (own === undefined || !isRefusalOfSender(error)) throw error
        const { response } = await deliver(mail, from, signal)
        if (returnAddress !== null) onReturnRefused?.(error)
        returnAddress = null
        return response
      }
    },
    close: () => transport.close(),
  }
}
