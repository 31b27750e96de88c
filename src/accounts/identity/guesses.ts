import timers from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import type { Database } from '../../database/schema.ts'
import { countTry, forgetTries } from '../../database/tries.ts'
import { type Cap, CODES, GUESSES } from '../../kernel/limits.ts'
import { type FormState, refuse } from '../../web/form.ts'
import { networkOf } from '../../web/limits/limits.ts'

export { GUESSES }

declare module 'fastify' {
  interface FastifyInstance {
    /** Wrong passwords and codes, counted for all ways in together. */
    readonly guesses: Guesses
  }
}

/** What is guessed: the password of an address, whatever somebody typed as one, or something of a person. */
export type Guessed =
  | { readonly email: string }
  | { readonly personId: number; readonly what: 'password' | 'code' | 'passkey' }

type Guesses = ReturnType<typeof countGuesses>

/**
 * Slows the guessing of passwords. Tries are counted by account and network address together: a guesser locks out nobody but
 * himself, as the owner comes from elsewhere. How much one address may try on all accounts is limited in kernel/limits.ts.
 */
export function countGuesses(db: Database) {
  // Quoted, so that nothing typed as an address is the name of another count.
  const nameOf = (guessed: Guessed, address: string) =>
    JSON.stringify(['guesses', networkOf(address), kindOf(guessed), accountOf(guessed)])
  const codesOf = (guessed: Guessed) => JSON.stringify(['codes', kindOf(guessed), accountOf(guessed)])
  const wait = async (name: string, { max, window }: Cap) => {
    const { count, ttl } = await countTry(db, name, window)
    return count <= max ? null : Math.max(1, Math.ceil(ttl / 1000))
  }
  return {
    /**
     * Counts one try, before the password is looked at: so 50 tries sent at once are 50.
     * @returns null when it may be made, else the seconds to wait
     */
    wait: (guessed: Guessed, address: string) => wait(nameOf(guessed, address), GUESSES),
    /**
     * Counts one try of a code, from wherever it comes. Nobody is locked out by others: only who knows the
     * password gets here.
     */
    waitForCode: (guessed: Guessed) => wait(codesOf(guessed), CODES),
    /** The password, or the code, was right: nobody was guessing. */
    async forget(guessed: Guessed, address: string): Promise<void> {
      await forgetTries(db, nameOf(guessed, address))
      await forgetTries(db, codesOf(guessed))
    },
  }
}

const kindOf = (guessed: Guessed) => ('email' in guessed ? 'email' : guessed.what)
const accountOf = (guessed: Guessed) => ('email' in guessed ? guessed.email : guessed.personId)

/** The form of who guessed too often, with how long to wait; 429. */
export function refuseGuess(
  reply: FastifyReply,
  seconds: number,
  form: FormState,
  field: string,
  key: string,
): FormState {
  reply.code(429).header('retry-after', String(seconds))
  return refuse(form, field, key, { minutes: Math.ceil(seconds / 60) })
}

/** The work to hide takes some ten milliseconds. */
export const PACE_MS = 250

/** Makes an answer take the same time whether an address has an account or not (OWASP ASVS 5.0, 6.3.8). */
export async function atPace<Outcome>(work: Promise<Outcome>): Promise<Outcome> {
  await Promise.allSettled([work, timers.setTimeout(PACE_MS)])
  return work
}
