import pg from 'pg'
import { readAddresses } from './addresses.ts'
import {
  checkTarget,
  failureOf,
  leadsToNextHost,
  SESSION_STATE,
  type SessionState,
  whenDemoted,
} from './session-target.ts'

/**
 * Opens one connection outside any pool, to the first available host. If the URL asks for a writable server, it closes
 * when the server becomes read-only.
 * @param options beside the URL; `query_timeout` limits each query
 * @throws Error when no host is available
 */
export async function openClient(url: string, options: pg.ClientConfig = {}): Promise<pg.Client> {
  const { urls, target } = readAddresses(url)
  const failures: unknown[] = []
  for (const connectionString of urls) {
    const client = new pg.Client({ ...options, connectionString })
    // Without a listener, a broken connection would end the process; 'end' is emitted as well.
    client.on('error', () => undefined)
    try {
      await client.connect()
      if (target === 'any') return client
      const { rows } = await client.query<SessionState>(SESSION_STATE)
      if (rows[0] !== undefined) checkTarget(rows[0], target, client.host)
      whenDemoted(client, () => client.connection.stream.destroy())
      return client
    } catch (error) {
      // A frozen server does not answer a graceful close.
      client.connection.stream.destroy()
      if (!leadsToNextHost(error)) throw error
      failures.push(error)
    }
  }
  throw failureOf(failures)
}
