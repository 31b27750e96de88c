import type { Database } from '../../database/schema.ts'
import type { Ending } from '../../testing/at-end.ts'

/** A failure that is caused in real processes, and the claims that must hold meanwhile. */
export interface Fault {
  /** For `--only`. */
  readonly name: string
  /** A short description of the failure. */
  readonly fault: string
  /** The exact procedure. */
  readonly done: string
  /** The guarantees, in words. */
  readonly wanted: string
  /** Quick enough to be part of `npm run test:everything`. */
  readonly isQuick: boolean
  /** After which it has failed; 4 where it is left out. */
  readonly minutes?: number
  /** @throws CannotRun where the machine does not permit it */
  run(context: FaultContext): Promise<Claim[]>
}

/** The environment of a fault. */
export interface FaultContext {
  /** Registers cleanups for the end of the fault. */
  readonly end: Ending
  /** Whether to check times: not in tests, which share the machine. */
  readonly isTimed: boolean
  say(line: string): void
  /** A migrated, empty database for this fault. */
  database(): Promise<MadeDatabase>
  /**
   * An empty database without migrations.
   * @returns its URL
   */
  emptyDatabase(): Promise<string>
}

export interface MadeDatabase {
  readonly db: Database
  readonly url: string
}

/** Creates databases, and drops them at the end. */
export interface Databases {
  migrated(end: Ending): Promise<MadeDatabase>
  /** An empty database without migrations. */
  empty(end: Ending): Promise<MadeDatabase>
}

/** A guarantee with its measured value. */
export interface Claim {
  readonly claim: string
  readonly measured: string
  readonly holds: boolean
}

/** The machine does not permit this: `message` says what is missing. */
export class CannotRun extends Error {}

/** Holds when the list is empty. The first few items are reported. */
export function none(claim: string, found: readonly string[], among?: number): Claim {
  const all = among === undefined ? '' : ` of ${among}`
  const told = found.length === 0 ? '' : `: ${[...new Set(found)].slice(0, 3).join('; ')}`
  return { claim, measured: `${found.length}${all}${told}`, holds: found.length === 0 }
}

/** Holds up to `most`. */
export function atMost(claim: string, value: number, most: number, unit: string): Claim {
  return { claim, measured: `${Number(value.toFixed(value < 10 ? 2 : 0))} ${unit}`, holds: value <= most }
}

/** A claim about time, where time is checked. */
export function timed({ isTimed }: FaultContext, claim: Claim): Claim[] {
  return isTimed ? [claim] : []
}

/** Holds from `least` on: proves that enough was measured. */
export function atLeast(claim: string, value: number, least: number): Claim {
  return { claim, measured: String(value), holds: value >= least }
}

export function equal(claim: string, value: unknown, wanted: unknown): Claim {
  return { claim, measured: String(value), holds: value === wanted }
}
