import type { JSONWebKeySet, JWTPayload } from 'jose'
import type { ProviderClients } from './clients.ts'
import { CLOCK_TOLERANCE, SIGNING_ALGORITHMS } from './openid.ts'
import type { UsableProvider } from './provider.ts'
import { isStorableSubject, sidOf } from './provider-account.ts'

/** The sessions that a provider ends: OpenID Connect Back-Channel Logout 1.0, section 2.4. */
export interface LogoutToken {
  readonly issuer: string
  /** Its name, which counts once. */
  readonly id: string
  /** null: those of the session there, whoever had it. */
  readonly subject: string | null
  /** null: all sessions of the subject. */
  readonly sid: string | null
}

const EVENT = 'http://schemas.openid.net/event/backchannel-logout'
/** Beyond which age a token without an end is void, as names of tokens are not remembered for ever. */
const MAX_AGE = '10 minutes'

/**
 * The claims of a logout token, once its signature, issuer, audience, times and form are checked.
 * @returns null for one that is not what it must be
 * @throws ProviderFailure when the provider's keys can't be read
 */
export async function readLogoutToken(
  clients: ProviderClients,
  provider: UsableProvider,
  token: string,
): Promise<LogoutToken | null> {
  const { decodeJwt, createLocalJWKSet, jwtVerify } = await import('jose')
  // Anything that isn't such a token causes no request for keys.
  if (tokenOf(attempt(() => decodeJwt(token))) === null) return null
  const known = await clients.keysOf(provider)
  if (known === null) return null
  try {
    const { payload } = await jwtVerify(token, createLocalJWKSet(known.keys as JSONWebKeySet), {
      issuer: known.issuer,
      audience: provider.connection.clientId,
      algorithms: SIGNING_ALGORITHMS,
      clockTolerance: CLOCK_TOLERANCE,
      requiredClaims: ['iat', 'jti', 'events'],
      maxTokenAge: MAX_AGE,
    })
    return tokenOf(payload)
  } catch {
    return null
  }
}

function attempt(read: () => JWTPayload): JWTPayload {
  try {
    return read()
  } catch {
    return {}
  }
}

/** An ID token has a nonce and no such event: one can't stand for the other. */
function tokenOf({ iss, jti, sub, sid, events, nonce }: JWTPayload): LogoutToken | null {
  const hasEvent = typeof events === 'object' && events !== null && EVENT in events
  if (!hasEvent || nonce !== undefined || iss === undefined || jti === undefined || jti === '') return null
  const subject = sub !== undefined && isStorableSubject(sub) ? sub : null
  const session = sidOf(sid)
  if (subject === null && session === null) return null
  return { issuer: iss, id: jti, subject, sid: session }
}
