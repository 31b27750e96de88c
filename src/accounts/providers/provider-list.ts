import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Database } from '../../database/schema.ts'
import { notFound } from '../../kernel/problem.ts'
import { open } from '../../secrets/sealed.ts'
import { bareHost, isLoopbackHost } from '../../text/hosts.ts'
import { addressRule, GuardedClient } from '../../web/guarded-fetch.ts'
import { textParam } from '../../web/params.ts'
import { ScopedCache } from '../../web/scoped-cache/scoped-cache.ts'
import { ProviderClients } from './clients.ts'
import {
  type Connection,
  ENVIRONMENT_NAME,
  isUsable,
  type Provider,
  readProvider,
  SECRET_PURPOSE,
  type UsableProvider,
} from './provider.ts'
import { forgetReturned, mustUseProvider } from './required.ts'

const KEY = 'providers'

/** The providers that people sign in with, cached until one of them changes: pages to sign in ask for no query. */
class ProviderList {
  private readonly cache: ScopedCache<readonly Provider[]>
  private readonly app: FastifyInstance

  constructor(app: FastifyInstance) {
    this.cache = new ScopedCache(app.changes, { maxSize: 1 })
    this.app = app
  }

  /** All there are, in the order of their buttons. */
  all(): Promise<readonly Provider[]> {
    return this.cache.find(KEY, async () => ({ value: await listProviders(this.app), scopes: ['sign-in'] }))
  }

  async usable(): Promise<readonly UsableProvider[]> {
    return (await this.all()).filter(isUsable)
  }

  /** null: there is none of that name to sign in with. */
  async find(name: string): Promise<UsableProvider | null> {
    return (await this.usable()).find((provider) => provider.name === name) ?? null
  }
}

async function listProviders({ db, config, secretKeys }: FastifyInstance): Promise<readonly Provider[]> {
  const rows = await db
    .selectFrom('identity_providers')
    .selectAll()
    .orderBy('position')
    .orderBy('id')
    .execute()
  return rows.map((row) =>
    readProvider(row, config.oidc, (sealed) => open(secretKeys, SECRET_PURPOSE, row.id, sealed)),
  )
}

/** Gives the environment's provider a row, which its linked accounts and its options belong to. */
async function keepEnvironmentProvider(db: Database): Promise<void> {
  await db
    .insertInto('identity_providers')
    .values({
      name: ENVIRONMENT_NAME,
      preset: 'environment',
      label: null,
      issuer: null,
      client_id: null,
      position: 0,
      role_claim: null,
    })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
}

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

/** The provider in a path. @throws Problem 404 for one that nobody can sign in with */
export async function providerOf(request: FastifyRequest): Promise<UsableProvider> {
  const provider = await request.server.providers.find(textParam(request, 'provider'))
  if (provider === null) throw notFound()
  return provider
}
