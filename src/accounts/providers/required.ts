import type { FastifyRequest } from 'fastify'
import type { Way } from '../identity/ways.ts'
import type { Entry } from '../sessions/welcome.ts'
import { findUnlinked, forgetUnlinked, knownBrowserToken } from './sign-ins.ts'

/** The ways that a provider replaces where it is required. What an operator hands out stays. */
const REPLACED: ReadonlySet<Way> = new Set(['password', 'passkey', 'sign-up'])

/**
 * Whether somebody has to sign in with a provider instead: not an admin, who keeps the password for the day on which the provider is
 * down, nor who came back from the provider and shows, on the way to that page, whose account is to be linked.
 */
export async function mustUseProvider(
  request: FastifyRequest,
  { personId, way, path }: Pick<Entry, 'personId' | 'way' | 'path'>,
): Promise<boolean> {
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
  const waiting = { browser: knownBrowserToken(request), state: stateIn(path) }
  for (const { id: providerId, isRequired } of usable)
    if (isRequired && (await findUnlinked(db, { providerId, ...waiting })) !== null) return false
  return true
}

/** Forgets who came back from providers to this browser. @param own who signs in, and where that leads: who waits on that page stays; null: nobody */
export async function forgetReturned(
  request: FastifyRequest,
  own: { readonly path: string; readonly personId: number } | null,
): Promise<void> {
  const browser = knownBrowserToken(request)
  if (browser === null) return
  const state = own === null ? null : stateIn(own.path)
  const except = own === null || state === null ? null : { state, personId: own.personId }
  await forgetUnlinked(request.server.db, browser, except)
}

/** The state in the address of a page on which an account waits to be linked; null: it is another page. */
function stateIn(path: string): string | null {
  const { pathname, searchParams } = new URL(path, 'http://localhost')
  return /^\/sign-in\/with\/[^/]+\/link$/.test(pathname) ? searchParams.get('state') : null
}
