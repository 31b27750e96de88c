import type { FastifyRequest } from 'fastify'
import { hashToken } from '../../web/tokens.ts'

/** The name of the provider that a session began with; null: with none, or one that is gone. */
export async function providerOfSession(request: FastifyRequest): Promise<string | null> {
  const { db, providers } = request.server
  if ((await providers.usable()).length === 0) return null
  const row = await db
    .selectFrom('provider_sessions as session')
    .innerJoin('linked_accounts as linked', 'linked.id', 'session.linked_account_id')
    .innerJoin('identity_providers as provider', 'provider.id', 'linked.provider_id')
    .select('provider.name')
    .where('session.token_hash', '=', hashToken(request.sessionToken ?? ''))
    .executeTakeFirst()
  return row?.name ?? null
}
