import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../config.ts'
import type { Database } from '../database/schema.ts'
import { startSender } from './sender.ts'

/** Sends the outbox to SMTP_URL. Without one the mails stay in the admin's list. */
export async function startMail(
  config: Config,
  db: Database,
  log: FastifyBaseLogger,
): Promise<{ stop(): Promise<void> }> {
  if (config.smtpUrl === null) return { stop: async () => {} }
  // Loaded on demand: ten megabytes of memory that a forum without mail does not need.
  const { mailServer } = await import('./mail-server.ts')
  const host = new URL(config.baseUrl).hostname
  return startSender(
    db,
    mailServer({ url: config.smtpUrl, from: config.mailFrom, host }),
    log,
    undefined,
    config.mailRate,
  )
}
