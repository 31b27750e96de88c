import { isIP, isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Whether a host of an address, as `URL` has it, is this machine: RFC 6761 reserves the name. */
export function isLoopbackHost(hostname: string): boolean {
  const host = bareHost(hostname)
  if (host === 'localhost' || host.endsWith('.localhost')) return true
  return ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback'
}

/** A host as connections name it: an IPv6 address without its brackets. */
export function bareHost(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1').toLowerCase()
}

/** A host, perhaps with a port, which this machine needs. */
export function isWebhookHost(entry: string): boolean {
  const [, host, port] = /^([a-z0-9][a-z0-9.-]{0,252}|\[[\da-f:.]+\])(?::(\d{1,5}))?$/.exec(entry) ?? []
  if (host === undefined || Number(port ?? 1) < 1 || Number(port ?? 1) > 65_535) return false
  return port !== undefined || !isLoopbackHost(host)
}

/** OpenID Connect Discovery 1.0, section 3: https, without query and fragment. */
export function isIssuer(value: string): boolean {
  if (!URL.canParse(value)) return false
  const { protocol, hostname, search, hash, username } = new URL(value)
  const isSafe = protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname))
  return isSafe && search === '' && hash === '' && username === ''
}

/** Pages link to each other from the root, so the forum needs a host name of its own. */
export function isOrigin(value: string): boolean {
  if (!URL.canParse(value)) return false
  const { pathname, search, hash, username } = new URL(value)
  return /^\/+$/.test(pathname) && search === '' && hash === '' && username === ''
}

/** An address with a path, and nothing in the query but the model. */
export function isEmbeddingEndpoint(value: string): boolean {
  if (!URL.canParse(value)) return false
  const { pathname, searchParams, hash } = new URL(value)
  const model = searchParams.get('model') ?? ''
  return pathname !== '/' && hash === '' && searchParams.size === 1 && model !== '' && model.length <= 200
}

/** An address with a path and without a query. */
export function isEndpoint(value: string): boolean {
  if (!URL.canParse(value)) return false
  const { pathname, search, hash } = new URL(value)
  return pathname !== '/' && search === '' && hash === ''
}

/** A bucket, perhaps with a prefix below it, and who may use it; nothing in the query but the region. */
export function isBucket(value: string): boolean {
  if (!URL.canParse(value)) return false
  const { username, password, pathname, search, hash } = new URL(value)
  const isPlace = /^(?:\/[\w.-]+)+\/?$/.test(pathname) && /^(?:\?region=[\w-]+)?$/.test(search)
  return isPlace && hash === '' && [username, password].every((part) => part !== '' && isDecodable(part))
}

function isDecodable(part: string): boolean {
  try {
    decodeURIComponent(part)
    return true
  } catch {
    return false
  }
}

/** An address such as ::1, a network such as 10.0.0.0/8, or a name the proxy-addr package has for some. */
export function isNetwork(entry: string): boolean {
  const [address = '', bits, ...more] = entry.split('/')
  if (['loopback', 'linklocal', 'uniquelocal'].includes(entry)) return true
  if (isIP(address) === 0 || more.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (isIPv4(address) ? 32 : 128))
}
