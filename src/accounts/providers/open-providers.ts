import type { FastifyInstance } from 'fastify'
import type { Config } from '../../config.ts'
import { bareHost, isLoopbackHost } from '../../text/hosts.ts'
import { addressRule } from '../../web/fetching/address-rule.ts'
import { GuardedClient } from '../../web/fetching/guarded-client.ts'
import { ProviderClients } from './clients.ts'
import { keepEnvironmentProvider, ProviderList } from './provider-list.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** What people sign in with beside a password: OpenID Connect and GitHub. */
    readonly providers: ProviderList
  }
}

/** Knows the providers that people sign in with. @returns what asks them who somebody is */
export function openProviders(app: FastifyInstance): ProviderClients {
  app.decorate('providers', new ProviderList(app))
  if (app.config.oidc !== null) app.addHook('onReady', () => keepEnvironmentProvider(app.db))
  const client = providerClient(app.config)
  app.addHook('onClose', async () => client.close())
  return new ProviderClients(client)
}

/** Reaches public addresses, hosts that PRIVATE_HOSTS names, and this machine where OIDC_ISSUER is on it. */
function providerClient({ oidc, privateHosts }: Config): GuardedClient {
  const host = oidc === null ? null : new URL(oidc.issuer).hostname
  const loopbackHost = host === null || !isLoopbackHost(host) ? null : bareHost(host)
  return new GuardedClient(addressRule({ privateHosts, loopbackHost }))
}
