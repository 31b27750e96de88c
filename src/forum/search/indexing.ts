import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Database } from '../../database/schema.ts'
import { touchesEverything } from '../../web/change-feed/change.ts'
import type { ChangeFeed } from '../../web/change-feed/change-feed.ts'
import { indexBatch } from './queue.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** null: nobody tells of changes, so that posts wait for whoever calls indexQueued. */
    readonly indexing: Indexing | null
  }
}

/** For each millisecond of work so many of rest: pages and posts come first. */
const REST = 4
/** Whoever waited longer than this, in milliseconds, is not kept waiting by rests. */
const LATE = 5000
/** How often to look for what a process left behind that ended, and how soon after a failure, in milliseconds. */
const EVERY = 60_000
const RETRY = 2000
/** How long a search waits for posts made just before it, in milliseconds. */
const PATIENCE = 200

/**
 * Makes what posts are found by, a moment after they were posted: woken by any process's change, a batch at a time. Every
 * process does so; each takes what no other one has.
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

  /** Resolves when what this process had heard of is found, or after so many milliseconds where there is much of it. */
  async caughtUp(patience = PATIENCE): Promise<void> {
    if (this.running === null) return
    await Promise.race([this.running, sleep(patience, undefined, { ref: false })])
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
        const rest = waited < LATE ? REST * (performance.now() - begun) : 0
        await sleep(rest, undefined, { signal }).catch(() => undefined)
      }
    } catch (error) {
      this.onFailure(error)
      setTimeout(() => this.wake(), RETRY).unref()
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
  const timer = setInterval(() => indexing.wake(), EVERY)
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
