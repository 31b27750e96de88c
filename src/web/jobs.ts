import type { FastifyInstance } from 'fastify'
import type { Kind, Timing } from '../jobs/kind.ts'
import { Lane } from '../jobs/runner.ts'
import { touchesEverything } from './change-feed/change-feed.ts'

declare module 'fastify' {
  interface FastifyInstance {
    readonly jobs: Jobs
  }
}

/** How long somebody who needs what jobs do waits for them, in milliseconds. */
const CATCH_UP_TIMEOUT_MS = 200

/** The jobs that this process does, from `begin` on: while an app is made ready, nothing it asks the database is answered in time. */
export class Jobs {
  private readonly app: FastifyInstance
  private readonly lanes = new Map<string, Lane>()
  /** Kinds that were added before it began; null: it has. */
  private waiting: Map<string, readonly [Kind, Timing | undefined]> | null = new Map()

  constructor(app: FastifyInstance) {
    this.app = app
  }

  /** Names of the kinds that this process does. */
  get kinds(): string[] {
    return [...(this.waiting ?? this.lanes).keys()]
  }

  /** Does jobs of a kind, too. */
  start(kind: Kind, timing?: Timing): void {
    if (this.waiting === null) this.lanes.set(kind.name, new Lane(this.app.db, this.app.log, kind, timing))
    else this.waiting.set(kind.name, [kind, timing])
  }

  /** The app is ready. */
  begin(): void {
    const kinds = this.waiting?.values() ?? []
    this.waiting = null
    for (const [kind, timing] of kinds) this.start(kind, timing)
  }

  /** There may be jobs. @param kind undefined: of any kind */
  wake(kind?: string): void {
    for (const [name, lane] of this.lanes) if (kind === undefined || kind === name) lane.wake()
  }

  /** Resolves when those of a kind are done that this process had heard of, or after a timeout in milliseconds. */
  async caughtUp(kind: string, timeout = CATCH_UP_TIMEOUT_MS): Promise<void> {
    await this.lanes.get(kind)?.caughtUp(timeout)
  }

  /** Begins nothing new, and waits briefly for what is in progress. */
  async stop(): Promise<void> {
    await Promise.all([...this.lanes.values()].map((lane) => lane.stop()))
  }
}

/** Does jobs while the app runs, of the kinds that are started. */
export function registerJobs(app: FastifyInstance): void {
  const jobs = new Jobs(app)
  const stop = app.changes?.listen({
    changed: (change) => {
      if (change.job !== undefined) jobs.wake(change.job)
      else if (touchesEverything(change)) jobs.wake()
    },
    lost: () => undefined,
  })
  app.decorate('jobs', jobs)
  app.addHook('onClose', async () => {
    stop?.()
    await jobs.stop()
  })
}
