import type { Database } from '../database/schema.ts'
import type { Actor } from './rights/rights.ts'

/** What of a room's tables belongs into the download of a person's own data, under its name there. */
export interface OwnPart {
  readonly name: string
  /** Plain data, without secrets, and of others only what the person may read now. @param baseUrl begins the addresses of questions */
  of(db: Database, person: Actor, baseUrl: string): Promise<unknown>
}

export const ownPart = (name: string, of: OwnPart['of']): OwnPart => ({ name, of })

let declared: readonly OwnPart[] | null = null

/** Hands in the parts of all rooms, in the order in which the download has them. */
export function declareOwnParts(parts: readonly OwnPart[]): void {
  declared = parts
}

/**
 * Everything the forum keeps about a person, as plain data: the account, where it is signed in, what they wrote (deleted posts,
 * too), voted for and follow, which mails they got, and what they are still writing.
 * @throws Error where tables.ts was not imported: nobody gets half of it
 */
export async function ownData(
  db: Database,
  person: Actor,
  baseUrl: string,
): Promise<Readonly<Record<string, unknown>>> {
  if (declared === null) throw new Error('import src/tables.ts: nobody has declared what a download has')
  const parts = declared.map(async ({ name, of }) => [name, await of(db, person, baseUrl)] as const)
  return Object.fromEntries(await Promise.all(parts))
}
