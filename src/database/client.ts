import pg from 'pg'
import {
  checkTarget,
  firstAvailable,
  readAddresses,
  SESSION_STATE,
  type SessionState,
  whenDemoted,
} from './hosts.ts'

/**
 * Opens one connection outside any pool, to the first available host. If the URL asks for a writable server, it closes
 * when the server becomes read-only.
 * @param options beside the URL; `query_timeout` limits each query
 * @throws Error when no host is available
 */
export async function openClient(url: string, options: pg.ClientConfig = {}): Promise<pg.Client> {
  const { urls, target } = readAddresses(url)
  return firstAvailable(urls, async (connectionString) => {
    const client = new pg.Client({ ...options, connectionString })
    // Without a listener, a broken connection would end the process; 'end' is emitted as well.
    client.on('error', () => undefined)
    try {
      await client.connect()
      if (target === 'any') return client
      const { rows } = await client.query<SessionState>(SESSION_STATE)
      checkTarget(rows[0], target, client.host)
      whenDemoted(client, () => client.connection.stream.destroy())
      return client
    } catch (error) {
      // A frozen server does not answer a graceful close.
      client.connection.stream.destroy()
      throw error
    }
  })
}
