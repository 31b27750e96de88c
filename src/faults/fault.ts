import type { Database } from '../database/schema.ts'
import type { Ending } from '../testing/at-end.ts'

/** One thing that goes wrong, done to real processes, and what has to hold all the while. */
export interface Fault {
  /** For `--only`. */
  readonly name: string
  /** What goes wrong, in a few words. */
  readonly fault: string
  /** What is done, exactly. */
  readonly done: string
  /** What has to hold. */
  readonly wanted: string
  /** Takes so little that `npm test` does it too. */
  readonly isQuick: boolean
  /** @throws CannotRun where this machine does not allow it */
  run(ground: Ground): Promise<Claim[]>
}

/** What a fault is done on. */
export interface Ground {
  /** Whatever is begun for the fault ends with it. */
  readonly end: Ending
  /** Whether it counts how fast the machine is: not in tests, which share it with others. */
  readonly isTimed: boolean
  say(line: string): void
  /** A migrated, empty database of the fault's own. */
  database(): Promise<MadeDatabase>
  /** One that nothing was ever in, migrations neither. @returns its address */
  emptyDatabase(): Promise<string>
}

export interface MadeDatabase {
  readonly db: Database
  readonly url: string
}

/** Where databases are made; they are gone in the end. */
export interface Databases {
  migrated(end: Ending): Promise<MadeDatabase>
  /** Nothing was ever in it. */
  empty(end: Ending): Promise<MadeDatabase>
}

/** Something that has to hold, and what was measured. */
export interface Claim {
  readonly claim: string
  readonly measured: string
  readonly holds: boolean
}

/** The machine does not allow this: `message` says what it lacks. */
export class CannotRun extends Error {}

/** Holds when there are none. The first few are told. */
export function none(claim: string, found: readonly string[], among?: number): Claim {
  const all = among === undefined ? '' : ` of ${among}`
  const told = found.length === 0 ? '' : `: ${[...new Set(found)].slice(0, 3).join('; ')}`
  return { claim, measured: `${found.length}${all}${told}`, holds: found.length === 0 }
}

/** Holds up to `most`. */
export function atMost(claim: string, value: number, most: number, unit: string): Claim {
  return { claim, measured: `${Number(value.toFixed(value < 10 ? 2 : 0))} ${unit}`, holds: value <= most }
}

/** A claim of how fast something is, where that counts. */
export function timed({ isTimed }: Ground, claim: Claim): Claim[] {
  return isTimed ? [claim] : []
}

/** Holds from `least` on: what was measured says something only if there was enough of it. */
export function atLeast(claim: string, value: number, least: number): Claim {
  return { claim, measured: String(value), holds: value >= least }
}

export function equal(claim: string, value: unknown, wanted: unknown): Claim {
  return { claim, measured: String(value), holds: value === wanted }
}
