import { isIPv6 } from 'node:net'
import { LRUCache } from 'lru-cache'

/** Wrong passwords that one network address may try on one account in a quarter of an hour. */
export const GUESSES = { max: 10, window: 15 * 60_000 } as const

/** Pairs remembered at the most; a pair takes some 400 bytes, so about 20 MB under attack. */
const REMEMBERED = 50_000

/**
 * Slows the guessing of passwords. Tries are counted by account and network address together: a guesser locks out nobody but
 * himself, as the owner comes from elsewhere. How much one address may try on all accounts is limited in web/limits.ts.
 * Counts are of this process: a second instance counts its own, and a restart forgets.
 */
export interface Guesses {
  /**
   * Counts one try, before the password is looked at: so 50 tries sent at once are 50.
   * @returns null when it may be made, else the seconds to wait
   */
  wait(account: string, address: string): number | null
  /** The password was right: nobody was guessing. */
  forget(account: string, address: string): void
}

export function countGuesses(): Guesses {
  // The window begins with the first try and ends by itself, however often it is tried again.
  const tries = new LRUCache<string, number>({
    max: REMEMBERED,
    ttl: GUESSES.window,
    noUpdateTTL: true,
    ttlResolution: 0,
  })
  return {
    wait(account, address) {
      const key = keyOf(account, address)
      const count = (tries.get(key) ?? 0) + 1
      tries.set(key, count)
      return count <= GUESSES.max ? null : Math.max(1, Math.ceil(tries.getRemainingTTL(key) / 1000))
    },
    forget(account, address) {
      tries.delete(keyOf(account, address))
    },
  }
}

/** An IPv6 customer has at least a /64 to take addresses from (RFC 6177), so that is one address here. */
function keyOf(account: string, address: string): string {
  if (!isIPv6(address) || address.includes('.')) return `${account} ${address}`
  const [before = '', after] = address.split('::')
  const head = before.split(':').filter(Boolean)
  const tail = after?.split(':').filter(Boolean) ?? []
  const groups = [...head, ...Array<string>(Math.max(0, 8 - head.length - tail.length)).fill('0'), ...tail]
  return `${account} ${groups.slice(0, 4).join(':')}`
}
