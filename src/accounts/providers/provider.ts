import type { OpenIdClient } from '../../config.ts'
import type { Row } from '../../database/schema.ts'

/** How a provider is asked who somebody is. */
export type Connection =
  | ({ readonly kind: 'openid'; readonly isFromEnvironment: boolean } & Omit<OpenIdClient, 'label'>)
  | ({ readonly kind: 'github' } & Omit<OpenIdClient, 'label' | 'issuer'>)

/** The one of OIDC_ISSUER: contract of addresses. */
export const ENVIRONMENT_NAME = 'oidc'

/** The purpose that client secrets are sealed for (src/secrets). */
export const SECRET_PURPOSE = 'client-secret'

/** A provider, as an admin or the environment set it up. @param fromEnvironment null: it says nothing */
export function readProvider(
  row: Row<'identity_providers'>,
  fromEnvironment: OpenIdClient | null,
  openSecret: (sealed: Buffer) => string | null,
) {
  const isOfEnvironment = row.preset === 'environment'
  const connection = isOfEnvironment ? connectionOf(fromEnvironment) : storedConnection(row, openSecret)
  return {
    id: row.id,
    // In addresses; the label is on its button.
    name: row.name,
    preset: row.preset,
    label: isOfEnvironment ? labelOf(fromEnvironment) : (row.label ?? row.name),
    isOn: row.is_on,
    // null: the environment, or a key to its secret, is not there any more.
    connection,
    // Domains of email addresses, in lower case; empty: any.
    allowedDomains: row.allowed_domains,
    createsAccounts: row.creates_accounts,
    trustsAddresses: row.trusts_addresses,
    acceptsFactor: row.accepts_factor,
    isRequired: row.is_required,
    // The claim whose values give roles; null: none does.
    roleClaim: row.role_claim,
    // That it is asked for besides ours.
    scopes: row.scopes,
  }
}

export type Provider = ReturnType<typeof readProvider>

/** One that people can sign in with. */
export type UsableProvider = Provider & { readonly connection: Connection }

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
