import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../../config.ts'
import type { Database } from '../../database/schema.ts'
import type { SecretKeys } from '../../secrets/keys.ts'
import { listenError } from '../problems.ts'
import { type Running, runningUntil } from '../running.ts'

/**
 * Takes answers by mail at INBOUND_PORT; nothing without it.
 * @throws StartError when it cannot listen
 */
export async function startInbound(
  config: Config,
  db: Database,
  keys: SecretKeys,
  log: FastifyBaseLogger,
): Promise<Running> {
  const { inboundPort, host, replyAddress, baseUrl } = config
  if (inboundPort === null || replyAddress === null) return runningUntil(async () => {})
  // Loaded on demand: megabytes that a forum without it does not need.
  const { listenForMail } = await import('../../forum/answering-by-mail/listen.ts')
  try {
    const listener = await listenForMail({ db, log, replyAddress, baseUrl, keys, host, port: inboundPort })
    return runningUntil(() => listener.stop())
  } catch (error) {
    throw listenError(error, host, inboundPort, 'INBOUND_')
  }
}
