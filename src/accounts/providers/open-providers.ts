import type { FastifyInstance } from 'fastify'
import { bareHost, isLoopbackHost } from '../../text/hosts.ts'
import { addressRule } from '../../web/fetching/address-rule.ts'
import { GuardedClient } from '../../web/fetching/guarded-client.ts'
import { ProviderClients } from './clients.ts'
import type { Connection } from './provider.ts'
import { keepEnvironmentProvider, ProviderList } from './provider-list.ts'
import { forgetReturned, mustUseProvider } from './required.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Sign-in providers: OpenID Connect and GitHub. */
    readonly providers: ProviderList
    /** Whether somebody has to sign in with a provider, and not in this way. */
    readonly mustUseProvider: typeof mustUseProvider
    readonly forgetReturned: typeof forgetReturned
    /** Whether a provider answers as it should. @throws ProviderFailure */
    readonly testProvider: (connection: Connection) => Promise<void>
  }
}

/** Knows the providers that people sign in with. @returns what asks them who somebody is */
export function openProviders(app: FastifyInstance): ProviderClients {
  app.decorate('providers', new ProviderList(app))
  app.decorate('mustUseProvider', mustUseProvider)
  app.decorate('forgetReturned', forgetReturned)
  if (app.config.oidc !== null) app.addHook('onReady', () => keepEnvironmentProvider(app.db))
  const clients = new ProviderClients(providerClient(app))
  app.decorate('testProvider', (connection: Connection) => clients.test(connection))
  return clients
}

/** Reaches public addresses, hosts that PRIVATE_HOSTS names, and this machine where OIDC_ISSUER is on it. */
function providerClient(app: FastifyInstance): GuardedClient {
  const { oidc, privateHosts } = app.config
  const host = oidc === null ? null : new URL(oidc.issuer).hostname
  const loopbackHost = host === null || !isLoopbackHost(host) ? null : bareHost(host)
  const client = new GuardedClient(addressRule({ privateHosts, loopbackHost }))
  app.addHook('onClose', async () => client.close())
  return client
}
