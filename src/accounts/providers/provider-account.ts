import { z } from 'zod'
import { hasForbidden } from '../../text/characters.ts'

/** An account at a provider, as verified. */
export interface ProviderAccount {
  readonly issuer: string
  readonly subject: string
  /** null: none that can be shown. */
  readonly name: string | null
  /** In lower case; null: none, or none that mail could reach. */
  readonly email: string | null
  /** Whether the provider has checked that the address is theirs. */
  readonly isEmailVerified: boolean
  /** The session there; null: it names none. */
  readonly sid: string | null
  /** Values of the claim that gives roles; null: the provider is asked for none. */
  readonly roleValues: readonly string[] | null
}

/** As rows keep it while it waits to be linked. */
export const providerAccount = z.object({
  issuer: z.string(),
  subject: z.string(),
  name: z.string().nullable(),
  email: z.string().nullable(),
  isEmailVerified: z.boolean(),
  sid: z.string().nullable(),
  roleValues: z.array(z.string()).nullable(),
})

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
