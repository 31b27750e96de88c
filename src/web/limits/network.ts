import { normalizeIP } from '@fastify/rate-limit'

/** Bits that all addresses of one IPv6 customer share: each gets at least a /64 to take addresses from (RFC 6177). */
const IPV6_PREFIX = 64

/**
 * The network that limits and counts take for one client: the /64 of an IPv6 address, an IPv4 address itself, also where it
 * is written as an IPv6 one (`::ffff:192.0.2.1`). Whatever is counted per address is counted under this name.
 * @param address as `request.ip` has it
 */
export function networkOf(address: string): string {
  return normalizeIP(address, IPV6_PREFIX)
}
