import { createTransport } from 'nodemailer'
import type { Mail } from './renewal.ts'

/** Delivers mail. */
export interface MailServer {
  /**
   * Resolves when the server has accepted the mail.
   * @throws Error when it has not, or the outcome is unknown
   */
  send(mail: Mail, signal: AbortSignal): Promise<void>
}

export interface Sender {
  /** SMTP_URL. */
  readonly url: string
  /** The sender's address. */
  readonly from: string
  /** The forum's domain: the right side of each Message-ID. */
  readonly host: string
}

/** Timeouts of a silent server in milliseconds. sender.ts limits the whole delivery. */
const TIMEOUTS_MS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 }

/** The server in SMTP_URL. Each mail uses a new connection, so that a failed attempt cannot affect the next. */
export function mailServer({ url, from, host }: Sender): MailServer {
  const transport = createTransport({ ...TIMEOUTS_MS, url, disableFileAccess: true, disableUrlAccess: true })
  return {
    async send(mail, signal) {
      await transport.sendMail({
        signal,
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
    },
  }
}
