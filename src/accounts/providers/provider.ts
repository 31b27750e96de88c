import type { OpenIdClient } from '../../config.ts'
import type { Preset, Row } from '../../database/schema.ts'

/** How a provider is asked who somebody is. */
export type Connection =
  | ({ readonly kind: 'openid'; readonly isFromEnvironment: boolean } & Omit<OpenIdClient, 'label'>)
  | ({ readonly kind: 'github' } & Omit<OpenIdClient, 'label' | 'issuer'>)

/** A provider that people sign in with, as an admin or the environment set it up. */
export interface Provider {
  readonly id: number
  /** In addresses. */
  readonly name: string
  readonly preset: Preset
  /** On its button. */
  readonly label: string
  readonly isOn: boolean
  /** null: the environment, or a key to its secret, is not there any more. */
  readonly connection: Connection | null
  /** Domains of email addresses, in lower case; empty: any. */
  readonly allowedDomains: readonly string[]
  readonly createsAccounts: boolean
  readonly trustsAddresses: boolean
  readonly acceptsFactor: boolean
  readonly isRequired: boolean
  /** The claim whose values give roles; null: none does. */
  readonly roleClaim: string | null
  /** That it is asked for besides ours. */
  readonly scopes: readonly string[]
}

/** One that people can sign in with. */
export interface UsableProvider extends Provider {
  readonly connection: Connection
}

/** The one of OIDC_ISSUER: contract of addresses. */
export const ENVIRONMENT_NAME = 'oidc'

/** The purpose that client secrets are sealed for (src/secrets). */
export const SECRET_PURPOSE = 'client-secret'

/** @param fromEnvironment what the environment says of the provider in it; null: nothing */
export function providerOf(
  row: Row<'identity_providers'>,
  fromEnvironment: OpenIdClient | null,
  openSecret: (sealed: Buffer) => string | null,
): Provider {
  const isOfEnvironment = row.preset === 'environment'
  const connection = isOfEnvironment ? connectionOf(fromEnvironment) : storedConnection(row, openSecret)
  return {
    id: row.id,
    name: row.name,
    preset: row.preset,
    label: isOfEnvironment ? labelOf(fromEnvironment) : (row.label ?? row.name),
    isOn: row.is_on,
    connection,
    allowedDomains: row.allowed_domains,
    createsAccounts: row.creates_accounts,
    trustsAddresses: row.trusts_addresses,
    acceptsFactor: row.accepts_factor,
    isRequired: row.is_required,
    roleClaim: row.role_claim,
    scopes: row.scopes,
  }
}

export function isUsable(provider: Provider): provider is UsableProvider {
  return provider.isOn && provider.connection !== null
}

function connectionOf(client: OpenIdClient | null): Connection | null {
  if (client === null) return null
  const { issuer, clientId, clientSecret } = client
  return { kind: 'openid', isFromEnvironment: true, issuer, clientId, clientSecret }
}

function labelOf(client: OpenIdClient | null): string {
  return client?.label ?? (client === null ? ENVIRONMENT_NAME : new URL(client.issuer).hostname.slice(0, 40))
}

function storedConnection(
  { preset, issuer, client_id: clientId, client_secret: sealed }: Row<'identity_providers'>,
  openSecret: (sealed: Buffer) => string | null,
): Connection | null {
  const clientSecret = sealed === null ? null : openSecret(sealed)
  if (clientId === null || (sealed !== null && clientSecret === null)) return null
  if (preset === 'github') return { kind: 'github', clientId, clientSecret }
  return issuer === null ? null : { kind: 'openid', isFromEnvironment: false, issuer, clientId, clientSecret }
}
