import { bareHost, isLoopbackHost } from '../text/hosts.ts'
import { addressRule, type FetchBounds, type Fetched, GuardedClient } from './guarded-fetch.ts'

/**
 * A service of the operator's that answers JSON to JSON. Its address comes from the environment alone, so that its host may have private
 * addresses and be this machine.
 */
export class OperatorService {
  private readonly address: string
  private readonly headers: Readonly<Record<string, string>>
  private readonly client: GuardedClient

  /** @param url the address of the request, with the key as its user or password; its query isn't sent */
  constructor(url: string) {
    const { origin, pathname, hostname, username, password } = new URL(url)
    const host = bareHost(hostname)
    const key = decodeURIComponent(password || username)
    this.address = origin + pathname
    this.headers = {
      'content-type': 'application/json',
      accept: 'application/json',
      ...(key === '' ? {} : { authorization: `Bearer ${key}` }),
    }
    const loopbackHost = isLoopbackHost(hostname) ? host : null
    this.client = new GuardedClient(addressRule({ privateHosts: [host], loopbackHost }))
  }

  /** @throws what the network says */
  post(body: unknown, bounds: FetchBounds): Promise<Fetched> {
    const { address: url, headers } = this
    return this.client.fetch({ url, method: 'POST', headers, body: JSON.stringify(body) }, bounds)
  }

  close(): void {
    this.client.close()
  }
}
