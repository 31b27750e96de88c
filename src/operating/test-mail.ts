import { randomUUID } from 'node:crypto'
import type { Config } from '../config.ts'
import type { Language } from '../database/schema.ts'
import { renderLetter } from '../mail/letter.ts'
import { returnAddressOf } from '../mail/return-address.ts'
import { translatorOf } from '../messages/catalogue.ts'

const TIMEOUT_MS = 20_000

/**
 * Sends a mail at once, past the outbox, as the forum sends all others: with the same sender and return address.
 * @param to a valid address
 * @returns null: there is no SMTP_URL; `answer`: what the mail server answered, or why it did not, in English; `isReturnRefused`: it
 * takes mail only from MAIL_FROM, so that nobody notices what comes back
 */
export async function sendTestMail(
  { smtpUrl, mailFrom, baseUrl, replyAddress }: Config,
  secret: string,
  to: string,
  language: Language,
) {
  if (smtpUrl === null) return null
  const { mailServer } = await import('../mail/mail-server.ts')
  let isReturnRefused = false
  const server = mailServer({
    ...{ url: smtpUrl, from: mailFrom, host: new URL(baseUrl).hostname, connections: 1 },
    returnAddress: replyAddress === null ? null : (id) => returnAddressOf(secret, replyAddress, id),
    onReturnRefused: () => {
      isReturnRefused = true
    },
  })
  const t = translatorOf(language)
  const letter = {
    ...{ kind: 'test', language, subject: t('letters.test.subject') },
    paragraphs: [t('letters.test.text')],
    action: { text: t('letters.test.action'), url: baseUrl },
    footer: t('letters.test.footer'),
  }
  const { kind, subject } = letter
  const mail = {
    ...{ id: 0, key: randomUUID(), kind, personId: null, recipient: to, language, subject },
    ...{ ...renderLetter(letter), headers: {}, tells: [], writtenAt: new Date() },
  }
  try {
    const answer = await server.send(mail, AbortSignal.timeout(TIMEOUT_MS))
    return { isAccepted: true, answer, isReturnRefused }
  } catch (error) {
    const answer = error instanceof Error ? error.message : String(error)
    return { isAccepted: false, answer: answer.slice(0, 500), isReturnRefused }
  } finally {
    server.close()
  }
}
