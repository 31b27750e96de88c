import timers from 'node:timers/promises'

/** The work to hide takes some ten milliseconds. */
export const PACE_MS = 250

/**
 * Makes an answer take the same time whether there was anything to do: its duration would reveal whether an address has
 * an account (OWASP ASVS 5.0, 6.3.8).
 */
export async function atPace<Outcome>(work: Promise<Outcome>): Promise<Outcome> {
  await Promise.allSettled([work, timers.setTimeout(PACE_MS)])
  return work
}
