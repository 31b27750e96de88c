import { z } from 'zod'
import { hasForbidden, isBlank, lengthOf, normalize } from '../../text/characters.ts'
import { DISPLAY_NAME, email as emailField, isReservedName } from '../identity/fields.ts'
import { ProviderFailure } from './failure.ts'
import { CLOCK_TOLERANCE, type Told } from './openid.ts'
import type { Provider } from './provider.ts'

export function wantedClaims({ roleClaim }: Pick<Provider, 'roleClaim'>): string[] {
  return ['name', 'email', ...(roleClaim === null ? [] : [roleClaim])]
}

/** Reads the account from the provider's claims. @throws ProviderFailure when it has no subject that could be stored */
export function accountTold(provider: Provider, { issuer, claims }: Told): ProviderAccount {
  const { sub } = claims
  if (typeof sub !== 'string' || !isStorableSubject(sub)) throw new ProviderFailure('subject')
  const email = emailIn(claims.email)
  return {
    issuer,
    subject: sub,
    name: nameIn(claims.name) ?? nameIn(claims.preferred_username),
    email,
    isEmailVerified: email !== null && isVerified(provider, issuer, claims),
    sid: sidOf(claims.sid),
    roleValues: provider.roleClaim === null ? null : valuesIn(claims[provider.roleClaim]),
  }
}

/** Methods that prove knowledge, possession or inherence, by the names of RFC 8176, section 2, and of Entra. */
const FACTORS: readonly ReadonlySet<unknown>[] = [
  new Set(['pwd', 'kba']),
  new Set(['otp', 'hwk', 'swk', 'sc', 'sms', 'tel', 'fido']),
  new Set(['face', 'fpt', 'iris', 'retina', 'vbm']),
]
/** Classes that say so at once: OpenID EAP, Keycloak, REFEDS, PAPE. */
const STRONG_CLASSES: ReadonlySet<unknown> = new Set([
  ...['phr', 'phrh', 'mfa', 'https://refeds.org/profile/mfa'],
  'http://schemas.openid.net/pape/policies/2007/06/multi-factor',
])

export function hasShownFactors({ amr, acr }: Told['claims']): boolean {
  if (STRONG_CLASSES.has(acr)) return true
  if (!Array.isArray(amr)) return false
  return amr.includes('mfa') || FACTORS.filter((ways) => amr.some((way) => ways.has(way))).length > 1
}

/** Minutes for which the provider's own sign-in counts as one of now. */
const JUST_NOW = 5

/** Whether the provider has asked who they are just now, and says so. */
export function hasJustSignedIn({ auth_time: at }: Told['claims'], now = Date.now()): boolean {
  return typeof at === 'number' && Math.abs(now / 1000 - at) < JUST_NOW * 60
}

/** Whether the provider asked who they are since they left, as far as it says: not all tell. */
export function hasAskedSince({ auth_time: at }: Told['claims'], leftAt: Date): boolean {
  return typeof at !== 'number' || at >= leftAt.getTime() / 1000 - CLOCK_TOLERANCE
}

/** The values of a claim that gives roles: one, or a list. */
const MAX_VALUES = 500

function valuesIn(claim: unknown): string[] {
  const values = Array.isArray(claim) ? claim : [claim]
  return values.filter((value) => typeof value === 'string').slice(0, MAX_VALUES)
}

/**
 * Entra has no email_verified for accounts of organizations: there xms_edov says that the organization owns
 * the domain, and of the issuer of one tenant its admin does.
 */
function isVerified({ preset }: Provider, issuer: string, claims: Told['claims']): boolean {
  if (claims.email_verified === true || claims.email_verified === 'true') return true
  if (preset !== 'entra') return false
  const { xms_edov: edov } = claims
  return edov === true || edov === 1 || edov === '1' || edov === 'true' || isOfOneTenant(issuer)
}

/** https://login.microsoftonline.com/TENANT/v2.0 */
function isOfOneTenant(issuer: string): boolean {
  return /^https:\/\/login\.microsoftonline\.(?:com|us)\/[0-9a-f]{8}-[0-9a-f-]{27}\/v2\.0$/.test(issuer)
}

function emailIn(claim: unknown): string | null {
  const parsed = emailField().safeParse(claim)
  return parsed.success ? parsed.data : null
}

/** A name as it may be shown: shortened where it is too long; null: none, or one that is somebody else's. */
function nameIn(claim: unknown): string | null {
  if (typeof claim !== 'string' || !claim.isWellFormed()) return null
  const name = normalize(claim.slice(0, 2000)).replace(/\s+/gu, ' ').trim()
  if (hasForbidden(name, { multiline: false }) || isBlank(name)) return null
  const shown =
    lengthOf(name) <= DISPLAY_NAME.max ? name : [...name].slice(0, DISPLAY_NAME.max).join('').trim()
  return isReservedName(shown) ? null : shown
}

/** An account at a provider, as verified, and as rows keep it while it waits to be linked. */
export const providerAccount = z.object({
  issuer: z.string(),
  subject: z.string(),
  // null: none that can be shown.
  name: z.string().nullable(),
  // In lower case; null: none, or none that mail could reach.
  email: z.string().nullable(),
  // Whether the provider has checked that the address is theirs.
  isEmailVerified: z.boolean(),
  // The session there; null: it names none.
  sid: z.string().nullable(),
  // Values of the claim that gives roles; null: the provider is asked for none.
  roleValues: z.array(z.string()).nullable(),
})
export type ProviderAccount = z.infer<typeof providerAccount>

/** Characters of a subject: OpenID Connect Core 1.0, section 2. */
const MAX_SUBJECT = 255

/** Whether a subject can be kept as it is: changed in any way it might become somebody else's. */
export function isStorableSubject(subject: string): boolean {
  return (
    subject !== '' && subject.isWellFormed() && !subject.includes('\0') && [...subject].length <= MAX_SUBJECT
  )
}

/** A session's name at the provider; null: it is none that could be kept. */
export function sidOf(value: unknown): string | null {
  return typeof value === 'string' && isStorableSubject(value) && !hasForbidden(value, { multiline: false })
    ? value
    : null
}
