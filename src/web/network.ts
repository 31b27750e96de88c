import { isIPv6 } from 'node:net'

/** Whose an address is: an IPv6 customer has at least a /64 to take addresses from (RFC 6177), so that is one here. */
export function networkOf(address: string): string {
  if (!isIPv6(address) || address.includes('.')) return address
  const [before = '', after] = address.split('::')
  const head = before.split(':').filter(Boolean)
  const tail = after?.split(':').filter(Boolean) ?? []
  const groups = [...head, ...Array<string>(Math.max(0, 8 - head.length - tail.length)).fill('0'), ...tail]
  return groups.slice(0, 4).join(':')
}
