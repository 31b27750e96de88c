import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Database } from '../../database/schema.ts'
import { touchesEverything } from '../../web/change-feed/change.ts'
import type { ChangeFeed } from '../../web/change-feed/change-feed.ts'
import { indexBatch } from './queue.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** null: there is no change feed, so that posts wait for a call of indexQueued. */
    readonly indexing: Indexing | null
  }
}

/** Milliseconds of rest per millisecond of work: pages and posts come first. */
const REST_FACTOR = 4
/** Without rests for questions that have waited this long. */
const LATE_MS = 5000
/** How often to look for questions that an ended process left behind, and the delay after a failure. */
const POLL_MS = 60_000
const RETRY_MS = 2000
/** How long a search waits for posts written just before it. */
const CATCH_UP_TIMEOUT_MS = 200

/**
 * Indexes posts a moment after they were written, in batches; any process's change wakes it. Every process does so; each
 * takes rows that no other one has locked.
 */
export class Indexing {
  private readonly db: Database
  private readonly onFailure: (error: unknown) => void
  private readonly stopped = new AbortController()
  private running: Promise<void> | null = null
  private isAsked = false

  constructor(db: Database, onFailure: (error: unknown) => void) {
    this.db = db
    this.onFailure = onFailure
  }

  /** There may be something to do. */
  wake(): void {
    this.isAsked = true
    if (this.stopped.signal.aborted) return
    this.running ??= this.work().finally(() => {
      this.running = null
    })
  }

  /** Resolves when what this process had heard of is found, or after a timeout in milliseconds. */
  async caughtUp(timeout = CATCH_UP_TIMEOUT_MS): Promise<void> {
    if (this.running === null) return
    await Promise.race([this.running, sleep(timeout, undefined, { ref: false })])
  }

  /** Begins nothing new, and waits for the batch under way. */
  async stop(): Promise<void> {
    this.stopped.abort()
    await this.running
  }

  private async work(): Promise<void> {
    const { signal } = this.stopped
    try {
      while (this.isAsked && !signal.aborted) {
        this.isAsked = false
        const begun = performance.now()
        const { taken, waited } = await indexBatch(this.db)
        if (taken === 0) continue
        this.isAsked = true
        const rest = waited < LATE_MS ? REST_FACTOR * (performance.now() - begun) : 0
        await sleep(rest, undefined, { signal }).catch(() => undefined)
      }
    } catch (error) {
      this.onFailure(error)
      setTimeout(() => this.wake(), RETRY_MS).unref()
    }
  }
}

/** Indexes while the app runs. */
export function registerIndexing(app: FastifyInstance): void {
  const { changes } = app
  app.decorate('indexing', changes === null ? null : startIndexing(app, changes))
}

function startIndexing(app: FastifyInstance, changes: ChangeFeed): Indexing {
  const indexing = new Indexing(app.db, (error) =>
    app.log.warn({ err: error }, 'what posts are found by is made later'),
  )
  const stop = changes.listen({
    changed: (change) => {
      if (change.question !== undefined || touchesEverything(change)) indexing.wake()
    },
    lost: () => undefined,
  })
  const timer = setInterval(() => indexing.wake(), POLL_MS)
  timer.unref()
  // What a process left behind that ended before it came to it.
  app.addHook('onReady', async () => indexing.wake())
  app.addHook('onClose', async () => {
    stop()
    clearInterval(timer)
    await indexing.stop()
  })
  return indexing
}
