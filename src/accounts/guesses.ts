import type { Database } from '../database/schema.ts'
import { countTry, forgetTries } from '../database/tries.ts'
import { type Cap, CODES, GUESSES } from '../limits/table.ts'
import { networkOf } from '../web/network.ts'

export { GUESSES }

/**
 * Slows the guessing of passwords. Tries are counted by account and network address together: a guesser locks out nobody but
 * himself, as the owner comes from elsewhere. How much one address may try on all accounts is limited in limits/table.ts.
 */
export interface Guesses {
  /**
   * Counts one try, before the password is looked at: so 50 tries sent at once are 50.
   * @returns null when it may be made, else the seconds to wait
   */
  wait(account: string, address: string): Promise<number | null>
  /**
   * Counts one try of a code, from wherever it comes. Nobody is locked out by others: only who knows the password gets here.
   * @returns null when it may be made, else the seconds to wait
   */
  waitForCode(account: string): Promise<number | null>
  /** The password, or the code, was right: nobody was guessing. */
  forget(account: string, address: string): Promise<void>
}

export function countGuesses(db: Database): Guesses {
  const nameOf = (account: string, address: string) => `guess ${account} ${networkOf(address)}`
  const codesOf = (account: string) => `codes ${account}`
  const wait = async (name: string, { max, window }: Cap) => {
    const { count, ttl } = await countTry(db, name, window)
    return count <= max ? null : Math.max(1, Math.ceil(ttl / 1000))
  }
  return {
    wait: (account, address) => wait(nameOf(account, address), GUESSES),
    waitForCode: (account) => wait(codesOf(account), CODES),
    forget: async (account, address) => {
      await forgetTries(db, nameOf(account, address))
      await forgetTries(db, codesOf(account))
    },
  }
}
