import type { FastifyReply, FastifyRequest } from 'fastify'
import { translatorFor } from '../../web/language.ts'

interface RecoveryCodesPage {
  readonly codes: readonly string[]
  /** Where one goes on. */
  readonly nextPath: string
}

/** Shows recovery codes, this once: only their hashes are kept. */
export function showCodes(
  request: FastifyRequest,
  reply: FastifyReply,
  codes: readonly string[],
  nextPath: string,
) {
  const t = translatorFor(request)
  return reply.page<RecoveryCodesPage>('second-factor/recovery-codes', {
    title: t('secondFactor.recovery.title'),
    codes,
    nextPath,
  })
}
