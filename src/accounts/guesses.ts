import type { Database } from '../database/schema.ts'
import { countTry, forgetTries } from '../database/tries.ts'
import { networkOf } from '../web/network.ts'

/** Wrong passwords that one network address may try on one account in a quarter of an hour. */
export const GUESSES = { max: 10, window: 15 * 60_000 } as const

/**
 * Slows the guessing of passwords. Tries are counted by account and network address together: a guesser locks out nobody but
 * himself, as the owner comes from elsewhere. How much one address may try on all accounts is limited in web/limits.ts.
 */
export interface Guesses {
  /**
   * Counts one try, before the password is looked at: so 50 tries sent at once are 50.
   * @returns null when it may be made, else the seconds to wait
   */
  wait(account: string, address: string): Promise<number | null>
  /** The password was right: nobody was guessing. */
  forget(account: string, address: string): Promise<void>
}

export function countGuesses(db: Database): Guesses {
  const nameOf = (account: string, address: string) => `guess ${account} ${networkOf(address)}`
  return {
    async wait(account, address) {
      const { count, ttl } = await countTry(db, nameOf(account, address), GUESSES.window)
      return count <= GUESSES.max ? null : Math.max(1, Math.ceil(ttl / 1000))
    },
    forget: (account, address) => forgetTries(db, nameOf(account, address)),
  }
}
