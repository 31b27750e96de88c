import type * as OpenId from 'openid-client'
import { z } from 'zod'
import { type FetchOptions, type GuardedClient, guardedFetch } from '../../web/guarded-fetch.ts'
import { failureOf, ProviderFailure } from './failure.ts'
import { type Checks, OpenIdClients, PROVIDER_BOUNDS, type Told } from './openid.ts'
import type { Connection, UsableProvider } from './provider.ts'

type GithubConnection = Extract<Connection, { readonly kind: 'github' }>

/** GitHub has no discovery: https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps */
const SERVER = {
  issuer: 'https://github.com',
  authorization_endpoint: 'https://github.com/login/oauth/authorize',
  token_endpoint: 'https://github.com/login/oauth/access_token',
}
const API = 'https://api.github.com'
const SCOPE = 'read:user user:email'

/** The account, by the number that stays when its name changes. */
const user = z.object({ id: z.number().int().positive(), login: z.string(), name: z.string().nullish() })
const emails = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }))

/** GitHub: OAuth 2.0 without ID token and nonce. PKCE and state protect the way; who came back is asked of its API. */
export class GithubClient {
  private readonly fetch: (url: string, options: FetchOptions) => Promise<Response>

  constructor(client: GuardedClient) {
    this.fetch = guardedFetch(client, PROVIDER_BOUNDS)
  }

  async signInAddress(
    connection: GithubConnection,
    redirectUri: string,
    { state, verifier }: Pick<Checks, 'state' | 'verifier'>,
    scopes: readonly string[] = [],
  ): Promise<string> {
    const { openid, config } = await this.configured(connection)
    const address = openid.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope: [SCOPE, ...scopes].join(' '),
      state,
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    })
    return address.href
  }

  /** The account that came back, in the words of OpenID Connect. Only the primary address counts, if it is verified. @throws ProviderFailure */
  async whoReturned(
    connection: GithubConnection,
    returned: URL,
    { state, verifier }: Pick<Checks, 'state' | 'verifier'>,
  ): Promise<Told> {
    const { openid, config } = await this.configured(connection)
    try {
      const checks = { expectedState: state, pkceCodeVerifier: verifier }
      const { access_token: token } = await openid.authorizationCodeGrant(config, returned, checks)
      const account = await this.ask('/user', token, user)
      const address = (await this.ask('/user/emails', token, emails)).find(({ primary }) => primary)
      const claims = {
        sub: String(account.id),
        name: account.name ?? account.login,
        ...(address?.verified === true && { email: address.email, email_verified: true }),
      }
      return { issuer: SERVER.issuer, claims }
    } catch (error) {
      throw failureOf(error)
    }
  }

  private async ask<Shape extends z.ZodType>(
    path: string,
    token: string,
    shape: Shape,
  ): Promise<z.output<Shape>> {
    const headers = {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${token}`,
      'user-agent': 'handup',
    }
    const answer = await this.fetch(`${API}${path}`, { headers })
    if (answer.status !== 200) throw new ProviderFailure('down', { status: answer.status })
    const parsed = shape.safeParse(await answer.json())
    if (!parsed.success) throw new ProviderFailure('answer', parsed.error)
    return parsed.data
  }

  private async configured({ clientId, clientSecret }: GithubConnection) {
    const openid: typeof OpenId = await import('openid-client')
    const config = new openid.Configuration(
      SERVER,
      clientId,
      clientSecret ?? undefined,
      clientSecret === null ? openid.None() : openid.ClientSecretPost(clientSecret),
    )
    config[openid.customFetch] = this.fetch as OpenId.CustomFetch
    return { openid, config }
  }
}

export class ProviderClients {
  private readonly openid: OpenIdClients
  private readonly github: GithubClient

  constructor(client: GuardedClient) {
    this.openid = new OpenIdClients(client)
    this.github = new GithubClient(client)
  }

  /** The address to sign in at. @param again asks the provider to authenticate again. @throws ProviderFailure */
  async signInAddress(
    { connection, scopes }: Pick<UsableProvider, 'connection' | 'scopes'>,
    redirectUri: string,
    checks: Checks,
    again: boolean,
  ): Promise<string> {
    try {
      return connection.kind === 'github'
        ? await this.github.signInAddress(connection, redirectUri, checks, scopes)
        : await this.openid.signInAddress(connection, redirectUri, checks, again, scopes)
    } catch (error) {
      throw failureOf(error)
    }
  }

  /** @param wanted claims that are asked for where the first answer lacks them; null: all there are. @throws ProviderFailure */
  async whoReturned(
    { connection }: Pick<UsableProvider, 'connection'>,
    returned: URL,
    checks: Checks,
    wanted: readonly string[] | null,
  ): Promise<Told> {
    return connection.kind === 'github'
      ? this.github.whoReturned(connection, returned, checks)
      : this.openid.whoReturned(connection, returned, checks, wanted)
  }

  /** The address to sign out at; null: none is known. Never throws: the forum's own sign-out is done. */
  async signOutAddress({ connection }: UsableProvider, leadsTo: string): Promise<string | null> {
    if (connection.kind === 'github') return null
    return this.openid.signOutAddress(connection, leadsTo).catch(() => null)
  }

  /** Its keys, and the name it signs with; null: it signs nothing. @throws ProviderFailure */
  async keysOf({ connection }: UsableProvider) {
    return connection.kind === 'github' ? null : this.openid.keysOf(connection)
  }

  /** Whether a provider answers as it should. @throws ProviderFailure */
  async test(connection: Connection): Promise<void> {
    if (connection.kind === 'openid') await this.openid.test(connection)
  }
}
