import ipaddr from 'ipaddr.js'
import type { AddressRule } from './guarded-agent.ts'
import { isPublic } from './public-address.ts'

/** Hosts and networks that the operator allows besides public addresses. */
export interface Allowed {
  /** Names of hosts, in lower case, that may have addresses of a private network. */
  readonly privateHosts: readonly string[]
  /** A host of this machine, by a name or an address that leads to it; null: none. */
  readonly loopbackHost: string | null
}

/**
 * Public addresses, and what the operator named in the environment: nobody who uses the forum adds to it. A name that is allowed may lead
 * into a private network, but not to this machine, nor to the addresses that clouds give secrets at.
 */
export function addressRule({ privateHosts, loopbackHost }: Allowed): AddressRule {
  return (address, host) => {
    if (isPublic(address)) return true
    if (!ipaddr.isValid(address)) return false
    const range = ipaddr.process(address).range()
    const name = host.toLowerCase()
    if (range === 'loopback') return name === loopbackHost
    return (range === 'private' || range === 'uniqueLocal') && privateHosts.includes(name)
  }
}
