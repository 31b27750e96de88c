import { setTimeout as sleep } from 'node:timers/promises'

/** Milliseconds; what is to be hidden takes some ten of them. */
export const PACE = 250

/**
 * Makes an answer take the same time whether there was anything to do: how long it takes would tell whether an address has an
 * account (OWASP ASVS 5.0, 6.3.8).
 */
export async function atPace<Outcome>(work: Promise<Outcome>): Promise<Outcome> {
  const [outcome] = await Promise.all([work, sleep(PACE)])
  return outcome
}
