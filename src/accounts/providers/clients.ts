import type { GuardedClient } from '../../web/fetching/guarded-client.ts'
import { failureOf } from './failure.ts'
import { GithubClient } from './github.ts'
import { type Checks, OpenIdClients, type Told } from './openid.ts'
import type { Connection, UsableProvider } from './provider.ts'

/** Asks providers who somebody is, each by its protocol. */
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
