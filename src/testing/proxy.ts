import { startProxy, type TcpProxy, throughProxy } from '../faults/proxy.ts'
import type { Ending } from './at-end.ts'

/** A wire between the forum and its database. */
export interface Proxy extends TcpProxy {
  /** The database's address, through the wire. */
  readonly url: string
}

export async function aProxy(test: Ending, databaseUrl: string): Promise<Proxy> {
  const { hostname, port } = new URL(databaseUrl)
  const proxy = await startProxy(test, { host: hostname, port: Number(port) })
  return { ...proxy, url: throughProxy(databaseUrl, proxy) }
}
