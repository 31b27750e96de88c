import type { Ending } from '../testing/at-end.ts'
import { CannotRun, type Claim, type Databases, type Fault } from './fault.ts'

/** What came of a fault. */
export interface Outcome {
  readonly fault: Fault
  readonly state: 'held' | 'not held' | 'not run'
  readonly claims: readonly Claim[]
  /** Why it was not run, or what broke it off; '' otherwise. */
  readonly reason: string
  readonly seconds: number
}

/** How faults are done. */
export interface Way {
  readonly databases: Databases
  /** Whether it counts how fast the machine is. */
  readonly isTimed: boolean
  readonly say: (line: string) => void
  /** Breaks it off. */
  readonly stopping?: AbortSignal
}

/** Milliseconds that a fault may take: one that hangs is one that does not hold. */
const LONGEST = 240_000

/** Does a fault, ends all it began, and never throws. */
export async function runFault(fault: Fault, { databases, isTimed, say, stopping }: Way): Promise<Outcome> {
  const begun = performance.now()
  const works: (() => Promise<void>)[] = []
  const end: Ending = { after: (work) => works.push(work) }
  const outcome = (state: Outcome['state'], claims: readonly Claim[], reason: string): Outcome => {
    return { fault, state, claims, reason, seconds: (performance.now() - begun) / 1000 }
  }
  const late = Promise.withResolvers<never>()
  const impatience = setTimeout(() => late.reject(new Error(`not over in ${LONGEST / 1000} s`)), LONGEST)
  stopping?.addEventListener('abort', () => late.reject(new Error('stopped')))
  try {
    stopping?.throwIfAborted()
    const emptyDatabase = async () => (await databases.empty(end)).url
    const ground = { end, isTimed, say, emptyDatabase, database: () => databases.migrated(end) }
    const claims = await Promise.race([fault.run(ground), late.promise])
    return outcome(claims.every(({ holds }) => holds) ? 'held' : 'not held', claims, '')
  } catch (error) {
    if (error instanceof CannotRun) return outcome('not run', [], error.message)
    return outcome('not held', [], error instanceof Error ? (error.stack ?? error.message) : String(error))
  } finally {
    clearTimeout(impatience)
    for (const work of works) await work().catch((error: unknown) => say(`ending: ${error}`))
  }
}
