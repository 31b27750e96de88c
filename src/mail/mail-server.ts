import { createTransport } from 'nodemailer'
import type { DueMail } from './outbox.ts'

/** Where mails go. */
export interface MailServer {
  /** Resolves when the server has taken the mail over. @throws Error when it has not, or nobody knows */
  send(mail: DueMail, signal: AbortSignal): Promise<void>
}

export interface Sender {
  /** SMTP_URL. */
  readonly url: string
  /** The address mails come from. */
  readonly from: string
  /** Of the forum: the right side of each Message-ID. */
  readonly host: string
}

/** A server that says nothing for so many milliseconds has failed. A whole sending is bounded by sender.ts. */
const SILENCE = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 }

/** The server SMTP_URL names: a connection a mail, so that nothing of one try is left for the next. */
export function mailServer({ url, from, host }: Sender): MailServer {
  const transport = createTransport({ ...SILENCE, url, disableFileAccess: true, disableUrlAccess: true })
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
        // RFC 3834: nobody's holiday answer comes back.
        headers: { 'Auto-Submitted': 'auto-generated', 'Content-Language': mail.language },
      })
    },
  }
}
