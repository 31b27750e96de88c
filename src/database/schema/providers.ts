import type { ColumnType, Generated, GeneratedAlways } from 'kysely'
import type { DefaultTime, OptionalTime } from './columns.ts'
import type { Role } from './courses.ts'

export type Preset = 'environment' | 'google' | 'entra' | 'keycloak' | 'github' | 'openid'

interface IdentityProviders {
  id: GeneratedAlways<number>
  name: string
  preset: Preset
  label: string | null
  issuer: string | null
  client_id: string | null
  client_secret: Generated<Buffer | null>
  position: number
  is_on: Generated<boolean>
  allowed_domains: Generated<string[]>
  creates_accounts: Generated<boolean>
  trusts_addresses: Generated<boolean>
  accepts_factor: Generated<boolean>
  is_required: Generated<boolean>
  role_claim: Generated<string | null>
  scopes: Generated<string[]>
  tested_at: OptionalTime
}

interface LinkedAccounts {
  id: GeneratedAlways<number>
  person_id: number
  provider_id: number
  issuer: string
  subject: string
  account_name: string | null
  linked_at: DefaultTime
  last_used_at: OptionalTime
}

interface ProviderSignIns {
  token_hash: Buffer
  browser_hash: Buffer
  provider_id: number
  nonce: string
  verifier: string
  path: string
  begun_at: DefaultTime
  returned_at: OptionalTime
  is_trial: Generated<boolean>
  /** JSON of src/accounts/providers/claims.ts. */
  unlinked: ColumnType<unknown, string | null | undefined, string | null>
  /** Who was signed in when it began, or signed in to link it; null: nobody. */
  person_id: Generated<number | null>
  /** The provider was told to ask who they are, whatever it knew. */
  is_again: Generated<boolean>
  /** When person_id signed in on the page's own form; null: nobody did. */
  signed_in_at: OptionalTime
}

interface ProviderSessions {
  token_hash: Buffer
  linked_account_id: number
  sid: string | null
  has_factor: Generated<boolean>
}

interface LogoutTokens {
  token_hash: Buffer
  seen_at: DefaultTime
}

interface ProviderRoles {
  id: GeneratedAlways<number>
  provider_id: number
  value: string
  course_id: number
  role: Role
}

interface ClaimedRoles {
  course_id: number
  person_id: number
  provider_id: number
  role: Role
  former_role: Role | null
}

/** Providers that people sign in with, and accounts there. */
export interface ProvidersTables {
  identity_providers: IdentityProviders
  linked_accounts: LinkedAccounts
  provider_sign_ins: ProviderSignIns
  provider_sessions: ProviderSessions
  logout_tokens: LogoutTokens
  provider_roles: ProviderRoles
  claimed_roles: ClaimedRoles
}
