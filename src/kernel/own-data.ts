import type { Database } from '../database/schema.ts'
import { declared } from '../database/table.ts'
import type { Actor } from './rights/rights.ts'

/** What of a room's tables belongs into the download of a person's own data, under its name there. */
export interface OwnPart {
  readonly name: string
  /** Plain data, without secrets, and of others only what the person may read now. @param baseUrl begins the addresses of questions */
  of(db: Database, person: Actor, baseUrl: string): Promise<unknown>
}

export const ownPart = (name: string, of: OwnPart['of']): OwnPart => ({ name, of })

const ownParts = declared<OwnPart>('what a download has')

/** Hands in the parts of all rooms, in the order in which the download has them. */
export const declareOwnParts = ownParts.declare

/** Everything the forum keeps about a person, as plain data. */
export async function ownData(
  db: Database,
  person: Actor,
  baseUrl: string,
): Promise<Readonly<Record<string, unknown>>> {
  const parts = ownParts.all().map(async ({ name, of }) => [name, await of(db, person, baseUrl)] as const)
  return Object.fromEntries(await Promise.all(parts))
}
