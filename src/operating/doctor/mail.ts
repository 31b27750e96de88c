import type { Config } from '../../config.ts'
import { tlsOf } from '../../mail/tls.ts'
import { type WordedFinding, worded } from './finding.ts'

/** Timeout of the mail server's answers. */
const TIMEOUT_MS = 5000

/** Checks that the mail server answers and accepts the credentials. Sends nothing. */
export async function checkMailServer({ smtpUrl, mailFrom, isProduction }: Config): Promise<WordedFinding> {
  if (smtpUrl === null) return worded(isProduction ? 'warning' : 'ok', 'mail', 'unset')
  const { host } = new URL(smtpUrl)
  // Loaded where mail is sent: it brings the client of fetch, megabytes that the admin's overview does not need.
  const { createTransport } = await import('nodemailer')
  const times = { connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS }
  const transport = createTransport({ ...times, url: smtpUrl, tls: tlsOf(smtpUrl) })
  try {
    await transport.verify()
    return worded('ok', 'mail', 'accepted', { host, from: mailFrom })
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)
    return worded('problem', 'mail', 'refused', { host, reason })
  } finally {
    transport.close()
  }
}
