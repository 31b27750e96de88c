import type { Ending } from './at-end.ts'
import { startProxy, type TcpProxy, throughProxy } from './tcp-proxy.ts'

/** A proxy between the forum and its database. */
export interface Proxy extends TcpProxy {
  /** The database's URL through the proxy. */
  readonly url: string
}

export async function aProxy(test: Ending, databaseUrl: string): Promise<Proxy> {
  const { hostname, port } = new URL(databaseUrl)
  const proxy = await startProxy(test, { host: hostname, port: Number(port) })
  return { ...proxy, url: throughProxy(databaseUrl, proxy) }
}
