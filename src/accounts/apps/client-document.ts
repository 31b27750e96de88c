import { LRUCache } from 'lru-cache'
import { line } from '../../kernel/fields.ts'
import { reader } from '../../kernel/operation.ts'
import type { GuardedClient } from '../../web/guarded-fetch.ts'
import { type App, isRedirectAddress, MAX_NAME_LENGTH, MAX_REDIRECT_URIS } from './app.ts'

const BOUNDS = { deadline: 5000, maxBytes: 64 * 1024 } as const
const KEPT_MS = 15 * 60_000
const MAX_KEPT = 500

/** Why a document describes no app: it can't be had, or it isn't what it should be. */
export class NoDocument extends Error {
  readonly reason: 'unreachable' | 'document'

  constructor(reason: NoDocument['reason'], cause?: unknown) {
    super(`the document of a client: ${reason}`, { cause })
    this.reason = reason
  }
}

/**
 * What apps say of themselves at the address that is their client_id (draft-ietf-oauth-client-id-metadata-document). Public addresses
 * alone, no redirects, no more than BOUNDS; kept for a quarter of an hour.
 */
export class ClientDocuments {
  private readonly client: Pick<GuardedClient, 'fetch'>
  private readonly kept = new LRUCache<string, App>({ max: MAX_KEPT, ttl: KEPT_MS })

  constructor(client: Pick<GuardedClient, 'fetch'>) {
    this.client = client
  }

  /** @param clientId an address of a document @throws NoDocument */
  async find(clientId: string): Promise<App> {
    const known = this.kept.get(clientId)
    if (known !== undefined) return known
    const app = appOf(clientId, await this.read(clientId))
    if (app === null) throw new NoDocument('document')
    this.kept.set(clientId, app)
    return app
  }

  private async read(url: string): Promise<unknown> {
    const headers = { accept: 'application/json' }
    const fetched = await this.client.fetch({ url, method: 'GET', headers }, BOUNDS).catch((error) => {
      throw new NoDocument('unreachable', error)
    })
    const type = fetched.headers['content-type'] ?? ''
    if (fetched.status !== 200) throw new NoDocument('unreachable')
    if (!fetched.isWhole || !/^application\/(?:[\w.+-]+\+)?json\b/i.test(type))
      throw new NoDocument('document')
    try {
      return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(fetched.body))
    } catch (error) {
      throw new NoDocument('document', error)
    }
  }
}

const named = reader({ name: line({ min: 1, max: MAX_NAME_LENGTH }) })

/** null: it is no document of this client, or one that signs in in another way than ours, which is none. */
function appOf(clientId: string, document: unknown): App | null {
  if (typeof document !== 'object' || document === null) return null
  const said = document as Readonly<Record<string, unknown>>
  const { redirect_uris: addresses, token_endpoint_auth_method: method = 'none' } = said
  if (said.client_id !== clientId || method !== 'none' || !Array.isArray(addresses)) return null
  // Those of other schemes are for other forums, or none.
  const redirectUris = addresses.filter(
    (one): one is string => typeof one === 'string' && isRedirectAddress(one),
  )
  if (redirectUris.length === 0 || redirectUris.length > MAX_REDIRECT_URIS) return null
  const name = named.readAtOnce({ name: said.client_name })
  return {
    clientId,
    name: name.ok ? name.values.name : new URL(clientId).host.slice(0, MAX_NAME_LENGTH),
    redirectUris,
    isRegistered: false,
  }
}
