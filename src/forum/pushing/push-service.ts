import { lookup } from 'node:dns'
import { request } from 'node:https'
import type { LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'

/** An encrypted push, as a push service takes it. */
export interface Push {
  readonly endpoint: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** Posts a push. @returns the status of the answer */
export type PostPush = (push: Push, signal: AbortSignal) => Promise<number>

/** An endpoint's name leads into a network of its own: an address of ours, or of a neighbour. */
export class NotPublic extends Error {}

const TIMEOUT_MS = 10_000

/**
 * Posts to a push service, whose address a browser named: only to public addresses, which are checked as the connection is made, so
 * that a name cannot lead elsewhere a moment later. Redirects are not followed.
 * @param isAllowed which addresses may be connected to: tests have a server of their own
 */
export function pushService(isAllowed: (address: string) => boolean = isPublic): PostPush {
  const guarded: LookupFunction = (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      const [first] = found ?? []
      if (error !== null || first === undefined) return callback(error ?? new NotPublic(), '')
      if (!found.every(({ address }) => isAllowed(address)))
        return callback(new NotPublic('the address of the push service is not public'), '')
      return options.all === true ? callback(null, found) : callback(null, first.address, first.family)
    })
  }
  return ({ endpoint, headers, body }, signal) =>
    new Promise((resolve, reject) => {
      const sent = request(
        endpoint,
        {
          method: 'POST',
          headers,
          lookup: guarded,
          agent: false,
          signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
        },
        (answer) => {
          // The status says all.
          answer.destroy()
          resolve(answer.statusCode ?? 0)
        },
      )
      sent.on('error', reject)
      sent.end(body)
    })
}

/** Whether an address is one of the open Internet. */
export function isPublic(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'unicast'
}
