import type { FastifyReply, FastifyRequest } from 'fastify'
import { translatorOf } from '../../messages/catalogue.ts'
import { languageOfRequest } from '../../web/language.ts'

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
  const t = translatorOf(languageOfRequest(request))
  return reply.page<RecoveryCodesPage>('second-factor/recovery-codes', {
    title: t('secondFactor.recovery.title'),
    codes,
    nextPath,
  })
}
