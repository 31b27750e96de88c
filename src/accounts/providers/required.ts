import type { FastifyRequest } from 'fastify'
import type { Way } from '../identity/ways.ts'
import { knownBrowserToken } from './browser-cookie.ts'
import { findUnlinked } from './sign-ins.ts'

/** The ways that a provider replaces where it is required. What an operator hands out stays. */
const REPLACED: ReadonlySet<Way> = new Set(['password', 'passkey', 'sign-up'])

/**
 * Whether somebody has to sign in with a provider instead: not an admin, who keeps the password for the day on which the provider is
 * down, nor who came back from the provider and shows whose account is to be linked.
 */
export async function mustUseProvider(request: FastifyRequest, personId: number, way: Way): Promise<boolean> {
  const { db, providers } = request.server
  if (!REPLACED.has(way)) return false
  const usable = await providers.usable()
  if (!usable.some(({ isRequired }) => isRequired)) return false
  const person = await db
    .selectFrom('people')
    .select('is_admin')
    .where('id', '=', personId)
    .executeTakeFirst()
  if (person?.is_admin !== false) return false
  const browser = knownBrowserToken(request)
  for (const { id, isRequired } of usable)
    if (isRequired && (await findUnlinked(db, id, browser)) !== null) return false
  return true
}
