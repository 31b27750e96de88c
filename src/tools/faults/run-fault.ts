import type { Ending } from '../../testing/at-end.ts'
import { CannotRun, type Claim, type Databases, type Fault } from './fault.ts'

/** The outcome of a fault. */
export interface Outcome {
  readonly fault: Fault
  readonly state: 'held' | 'not held' | 'not run'
  readonly claims: readonly Claim[]
  /** Why it did not run, or the error that ended it; '' otherwise. */
  readonly reason: string
  readonly seconds: number
}

/** Options of a run. */
export interface Way {
  readonly databases: Databases
  /** Whether to check times. */
  readonly isTimed: boolean
  readonly say: (line: string) => void
  /** Cancels it. */
  readonly stopping?: AbortSignal
}

/** Timeout of a fault: one that hangs has failed. */
const USUAL_MINUTES = 4

/** Runs a fault and its cleanups, and never throws. */
export async function runFault(fault: Fault, { databases, isTimed, say, stopping }: Way): Promise<Outcome> {
  const begun = performance.now()
  const works: (() => Promise<void>)[] = []
  const end: Ending = { after: (work) => works.push(work) }
  const outcome = (state: Outcome['state'], claims: readonly Claim[], reason: string): Outcome => {
    return { fault, state, claims, reason, seconds: (performance.now() - begun) / 1000 }
  }
  const { minutes = USUAL_MINUTES } = fault
  const late = Promise.withResolvers<never>()
  const timeout = setTimeout(() => late.reject(new Error(`not over in ${minutes} minutes`)), minutes * 60_000)
  stopping?.addEventListener('abort', () => late.reject(new Error('stopped')))
  try {
    stopping?.throwIfAborted()
    const emptyDatabase = async () => (await databases.empty(end)).url
    const context = { end, isTimed, say, emptyDatabase, database: () => databases.migrated(end) }
    const claims = await Promise.race([fault.run(context), late.promise])
    return outcome(claims.every(({ holds }) => holds) ? 'held' : 'not held', claims, '')
  } catch (error) {
    if (error instanceof CannotRun) return outcome('not run', [], error.message)
    return outcome('not held', [], error instanceof Error ? (error.stack ?? error.message) : String(error))
  } finally {
    clearTimeout(timeout)
    for (const work of works) await work().catch((error: unknown) => say(`ending: ${error}`))
  }
}
