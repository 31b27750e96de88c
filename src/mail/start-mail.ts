import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../config.ts'
import type { Database } from '../database/schema.ts'
import { startSender } from './sender.ts'

/** Sends the outbox to SMTP_URL. Without one it stays where the admin reads it. */
export async function startMail(
  config: Config,
  db: Database,
  log: FastifyBaseLogger,
): Promise<{ stop(): Promise<void> }> {
  if (config.smtpUrl === null) return { stop: async () => {} }
  // Ten megabytes of memory that a forum without mail has no use for.
  const { mailServer } = await import('./mail-server.ts')
  const host = new URL(config.baseUrl).hostname
  return startSender(db, mailServer({ url: config.smtpUrl, from: config.mailFrom, host }), log)
}
