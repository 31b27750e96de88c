import type { Config } from '../../config.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

/** Timeout of the mail server's answers. */
const TIMEOUT_MS = 5000

/** Checks that the mail server answers and accepts the credentials. Sends nothing. */
export async function checkMailServer({ smtpUrl, mailFrom, isProduction }: Config): Promise<Finding> {
  if (smtpUrl === null) {
    const says = 'SMTP_URL is not set: emails stay on /mail, where admins read them'
    return isProduction
      ? warning('mail', says, 'set SMTP_URL, so that people can confirm addresses and reset passwords')
      : ok('mail', says)
  }
  const { host } = new URL(smtpUrl)
  // Loaded where mail is sent: it brings the client of fetch, megabytes that the admin's overview does not need.
  const { createTransport } = await import('nodemailer')
  const times = { connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS }
  const transport = createTransport({ ...times, url: smtpUrl })
  try {
    await transport.verify()
    return ok('mail', `${host} accepts email, from ${mailFrom}`)
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error)
    return problem(
      'mail',
      `${host} doesn’t accept email: ${reason}`,
      'check SMTP_URL, its name and password, and that this machine can reach it; emails wait until then',
    )
  } finally {
    transport.close()
  }
}
