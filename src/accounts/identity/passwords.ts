import { hash, verify } from '@node-rs/argon2'
import { newToken } from '../../web/tokens.ts'

/** Argon2id with OWASP's parameters (Password Storage Cheat Sheet, 2025): 19 MiB, 2 passes, 1 lane. About 10 ms. */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** What a password is checked against where there is none, so that an answer takes as long as for a known account. */
let nobodysHash: Promise<string> | null = null

/** @returns the hash in PHC form, with its salt and its parameters */
export function hashPassword(password: string): Promise<string> {
  return hash(password, PARAMETERS)
}

/** Whether a password is the one hashed. `null`, an account without a password, takes as long and is never right. */
export async function isRightPassword(passwordHash: string | null, password: string): Promise<boolean> {
  nobodysHash ??= hashPassword(newToken())
  const isRight = await verify(passwordHash ?? (await nobodysHash), password)
  return isRight && passwordHash !== null
}

/** Whether a hash was made with weaker parameters than today's: to be replaced while the password is at hand. */
export function isOutdated(passwordHash: string): boolean {
  const found = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$/.exec(passwordHash)
  if (found === null) return true
  const [memoryCost, timeCost, parallelism] = found.slice(1).map(Number)
  const { memoryCost: memory, timeCost: passes, parallelism: lanes } = PARAMETERS
  return (memoryCost ?? 0) < memory || (timeCost ?? 0) < passes || (parallelism ?? 0) < lanes
}
