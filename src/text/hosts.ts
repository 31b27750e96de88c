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
