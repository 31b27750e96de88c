import type * as OpenId from 'openid-client'
import {
  type FetchBounds,
  type FetchOptions,
  type GuardedClient,
  guardedFetch,
} from '../../web/guarded-fetch.ts'
import { failureOf, ProviderFailure } from './failure.ts'
import type { Connection } from './provider.ts'

type OpenIdConnection = Extract<Connection, { readonly kind: 'openid' }>

/** For one request to a provider: its answers are a few KB, keys of many tenants some more. */
export const PROVIDER_BOUNDS = { deadline: 8_000, maxBytes: 512 * 1024 } as const

/** By as much its clock and ours may differ, in seconds. */
export const CLOCK_TOLERANCE = 60

/** How long what a provider says of itself is believed. */
const METADATA_MS = 10 * 60_000

/** Signatures by keys of its own: no `none`, and no secret that both know (RFC 8725, section 3.1). */
export const SIGNING_ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
]

const OPENID_SCOPE = 'openid profile email'

/** State that one leg of a sign-in hands to the next. */
export interface Checks {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

export interface Told {
  readonly issuer: string
  readonly claims: Readonly<Record<string, unknown>>
}

/** OpenID Connect, as the client of providers: every request goes through the guarded client. */
export class OpenIdClients {
  private readonly fetch: (url: string, options: FetchOptions) => Promise<Response>
  private readonly metadata = new Map<
    string,
    { readonly server: OpenId.ServerMetadata; readonly readAt: number }
  >()

  constructor(client: GuardedClient, bounds: Pick<FetchBounds, 'deadline' | 'maxBytes'> = PROVIDER_BOUNDS) {
    this.fetch = guardedFetch(client, bounds)
  }

  /**
   * The address to sign in at.
   * @param again whether the provider is to ask who they are, though it may know
   * @param scopes besides ours
   * @throws ProviderFailure
   */
  async signInAddress(
    connection: OpenIdConnection,
    redirectUri: string,
    { state, nonce, verifier }: Checks,
    again: boolean,
    scopes: readonly string[] = [],
  ): Promise<string> {
    const openid = await library()
    const config = await this.configured(connection)
    const address = openid.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope: [OPENID_SCOPE, ...scopes].join(' '),
      state,
      nonce,
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...(again && { prompt: 'login', max_age: '0' }),
    })
    return address.href
  }

  /**
   * The claims about the person who came back: the ID token, whose signature, issuer, audience, times, nonce and state are checked,
   * and of its userinfo what the token lacks.
   * @param returned the address they came back to
   * @param wanted claims to ask for where the token lacks them; null: all there are
   * @throws ProviderFailure
   */
  async whoReturned(
    connection: OpenIdConnection,
    returned: URL,
    { state, nonce, verifier }: Checks,
    wanted: readonly string[] | null,
  ): Promise<Told> {
    const openid = await library()
    const config = await this.configured(connection)
    try {
      const checks = {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      }
      const tokens = await openid.authorizationCodeGrant(config, returned, checks)
      const claims = tokens.claims()
      if (claims === undefined) throw new ProviderFailure('answer')
      const { issuer } = config.serverMetadata()
      const hasAll = wanted?.every((name) => claims[name] !== undefined) ?? false
      if (hasAll || config.serverMetadata().userinfo_endpoint === undefined) return { issuer, claims }
      const told = await openid.fetchUserInfo(config, tokens.access_token, claims.sub)
      return { issuer, claims: { ...told, ...claims } }
    } catch (error) {
      throw failureOf(error)
    }
  }

  /** The address to sign out at; null: the provider names none. @throws ProviderFailure */
  async signOutAddress(connection: OpenIdConnection, leadsTo: string): Promise<string | null> {
    const openid = await library()
    const config = await this.configured(connection)
    if (config.serverMetadata().end_session_endpoint === undefined) return null
    return openid.buildEndSessionUrl(config, { post_logout_redirect_uri: leadsTo }).href
  }

  /** The address of the provider's keys, and its issuer. @throws ProviderFailure */
  async keysOf(connection: OpenIdConnection): Promise<{ readonly issuer: string; readonly keys: unknown }> {
    const { issuer, jwks_uri: address } = await this.serverOf(connection)
    if (address === undefined) throw new ProviderFailure('answer')
    try {
      const answer = await this.fetch(address, { headers: { accept: 'application/json' } })
      if (answer.status !== 200) throw new ProviderFailure('down', { status: answer.status })
      return { issuer, keys: await answer.json() }
    } catch (error) {
      throw failureOf(error)
    }
  }

  /** Reads anew what a provider says of itself. @throws ProviderFailure */
  async test(connection: OpenIdConnection): Promise<void> {
    this.metadata.delete(connection.issuer)
    await this.keysOf(connection)
  }

  /** Fresh for each sign-in: so the keys are those of this moment, however lately the provider changed them. */
  private async configured(connection: OpenIdConnection): Promise<OpenId.Configuration> {
    const openid = await library()
    const server = await this.serverOf(connection)
    const { clientId, clientSecret } = connection
    const config = new openid.Configuration(
      server,
      clientId,
      {
        ...(clientSecret !== null && { client_secret: clientSecret }),
        [openid.clockTolerance]: CLOCK_TOLERANCE,
      },
      authenticationAt(openid, server, clientSecret),
    )
    config[openid.customFetch] = this.fetch as OpenId.CustomFetch
    openid.enableNonRepudiationChecks(config)
    if (isPlain(connection)) openid.allowInsecureRequests(config)
    return config
  }

  private async serverOf(connection: OpenIdConnection): Promise<OpenId.ServerMetadata> {
    const { issuer, clientId } = connection
    const known = this.metadata.get(issuer)
    if (known !== undefined && Date.now() - known.readAt < METADATA_MS) return known.server
    const openid = await library()
    try {
      const found = await openid.discovery(new URL(issuer), clientId, undefined, openid.None(), {
        [openid.customFetch]: this.fetch as OpenId.CustomFetch,
        execute: isPlain(connection) ? [openid.allowInsecureRequests] : [],
      })
      const server = withSafeAlgorithms(found.serverMetadata())
      this.metadata.set(issuer, { server, readAt: Date.now() })
      return server
    } catch (error) {
      throw failureOf(error)
    }
  }
}

/** Loaded with the first sign-in: most forums need it never. */
function library(): Promise<typeof OpenId> {
  return import('openid-client')
}

/** http: on this machine, where the environment names it (config.ts). */
function isPlain({ issuer, isFromEnvironment }: OpenIdConnection): boolean {
  return isFromEnvironment && issuer.startsWith('http:')
}

function withSafeAlgorithms(server: OpenId.ServerMetadata): OpenId.ServerMetadata {
  const offered = server.id_token_signing_alg_values_supported ?? ['RS256']
  const safe = offered.filter((name) => SIGNING_ALGORITHMS.includes(name))
  return { ...server, id_token_signing_alg_values_supported: safe }
}

/** RFC 8414: a server that names no way takes HTTP Basic. */
function authenticationAt(
  openid: typeof OpenId,
  { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] }: OpenId.ServerMetadata,
  clientSecret: string | null,
): OpenId.ClientAuth {
  if (clientSecret === null) return openid.None()
  return methods.includes('client_secret_basic')
    ? openid.ClientSecretBasic(clientSecret)
    : openid.ClientSecretPost(clientSecret)
}
