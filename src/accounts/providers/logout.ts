import { sql } from 'kysely'
import { z } from 'zod'
import type { Database, Write } from '../../database/schema.ts'
import { sweep } from '../../database/sweep.ts'
import { term } from '../../database/terms.ts'
import { operation } from '../../operations/operation.ts'
import { Problem } from '../../operations/problem.ts'
import { hashToken } from '../../web/tokens.ts'
import type { LogoutToken } from './logout-token.ts'
import type { Provider } from './provider.ts'

/** The input of a provider's word that sessions are over, which no form sends: its token was checked. */
class Ending {
  readonly provider: Provider
  readonly token: LogoutToken

  constructor(provider: Provider, token: LogoutToken) {
    this.provider = provider
    this.token = token
  }
}

export function ending(provider: Provider, token: LogoutToken) {
  return { ending: new Ending(provider, token) }
}

/**
 * Ends the sessions that a provider says are over, and sign-ins that wait for a second step: of one session there, or all that its
 * account opened. @throws Problem 'invalid' when the token was used before
 */
export const sessionsEndByProvider = operation({
  name: 'end-sessions-by-provider',
  right: 'visit',
  isForSuspended: true,
  find: async () => null,
  limit: 'signIn',
  input: { ending: z.instanceof(Ending) },
  events: ['provider-ended-sessions'],
  async run({ write, input, note }) {
    const { provider, token } = input.ending
    if (!(await isFirst(write, provider, token))) throw new Problem('invalid')
    const ended = await endSessionsBy(write, provider, token)
    note('provider-ended-sessions', { ...ended, provider: provider.name })
  },
})

async function isFirst(write: Write, { name }: Provider, { id }: LogoutToken): Promise<boolean> {
  const seen = await write
    .insertInto('logout_tokens')
    .values({ token_hash: hashToken(`${name} ${id}`) })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return seen.numInsertedOrUpdatedRows === 1n
}

/** @returns whose sessions ended, and how many */
async function endSessionsBy(
  write: Write,
  { id: providerId }: Provider,
  { issuer, subject, sid }: LogoutToken,
) {
  const links = write
    .selectFrom('linked_accounts')
    .select('id')
    .where('provider_id', '=', providerId)
    .where('issuer', '=', issuer)
    .$if(subject !== null, (query) => query.where('subject', '=', subject ?? ''))
  await write
    .deleteFrom('half_sign_ins')
    .where('linked_account_id', 'in', links)
    .$if(sid !== null, (query) => query.where('provider_sid', '=', sid))
    .execute()
  const ended = await write
    .deleteFrom('sessions')
    .where('token_hash', 'in', (query) =>
      query
        .selectFrom('provider_sessions')
        .select('token_hash')
        .where('linked_account_id', 'in', links)
        .$if(sid !== null, (of) => of.where('sid', '=', sid)),
    )
    .returning('person_id')
    .execute()
  return { personId: ended[0]?.person_id ?? null, count: ended.length }
}

/** Names of tokens that are too old to be used again. */
export function sweepLogoutTokens(db: Database): Promise<number> {
  return sweep(db, 'logout_tokens', sql`seen_at < now() - ${term('logoutTokens')}`)
}
