import ipaddr from 'ipaddr.js'

/** Whether an address is one of the open Internet: no network of our own, no neighbour, no tunnel to one. */
export function isPublic(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'unicast'
}
