import type { FetchBounds, GuardedClient } from './guarded-client.ts'

/** The arguments that a library passes to a custom `fetch`. */
export interface FetchOptions {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly signal?: AbortSignal | undefined
}

/** An answer that is longer than its bounds. */
export class TooLong extends Error {}

/**
 * `fetch` for libraries that take one, over the guarded client: text and forms only.
 * @returns what throws TooLong, NotPublic and errors of the network, and never follows a redirect
 */
export function guardedFetch(client: GuardedClient, bounds: Omit<FetchBounds, 'signal'>) {
  return async (url: string, { method, headers = {}, body, signal }: FetchOptions): Promise<Response> => {
    const sent = body === undefined || body === null ? {} : { body: String(body) }
    const fetched = await client.fetch(
      { url, method: method === 'POST' ? 'POST' : 'GET', headers, ...sent },
      { ...bounds, ...(signal && { signal }) },
    )
    if (!fetched.isWhole) throw new TooLong(`the answer is longer than ${bounds.maxBytes} bytes`)
    const type = fetched.headers['content-type']
    const isBare = [204, 205, 304].includes(fetched.status)
    return new Response(isBare ? null : new Uint8Array(fetched.body), {
      status: fetched.status,
      ...(type !== undefined && { headers: { 'content-type': type } }),
    })
  }
}
