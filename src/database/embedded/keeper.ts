import { setTimeout as sleep } from 'node:timers/promises'
import { boundLog } from './log.ts'
import { type Guest, leaveSeat, type Seat, takeSeat } from './seat.ts'
import type { Site } from './server.ts'
import { withStartLock } from './start-lock.ts'

/** Supervises a running server until stop(). */
export interface Keeper {
  /** Releases the seat, which stops the server unless another process uses it. All calls await the same end. */
  stop(): Promise<void>
}

/**
 * Holds the seat: when its session ends (server killed, connection terminated by an administrator), it takes a new one
 * and restarts the server on the same port, so that the forum's pool can reconnect. Also limits the size of the
 * server's log.
 */
export function keepSeat(site: Site, guest: Guest, first: Seat): Keeper {
  const ending = new AbortController()
  const { port } = first.server
  let seat: Seat | null = null
  let returning = Promise.resolve()
  let stopped: Promise<void> | null = null

  const sit = (taken: Seat) => {
    seat = taken
    taken.client.once('end', () => {
      seat = null
      if (!ending.signal.aborted) returning = comeBack()
    })
  }
  const comeBack = async () => {
    site.progress('The connection to PostgreSQL ended: making sure that it runs')
    let told = ''
    while (!ending.signal.aborted) {
      try {
        sit(
          await withStartLock(site.dataDir, ending.signal, site.progress, () =>
            takeSeat(site, guest, port, ending.signal),
          ),
        )
        return site.progress('PostgreSQL runs again')
      } catch (error) {
        const { message } = error as Error
        if (!ending.signal.aborted && message !== told) site.progress(message)
        told = message
        await sleep(1000, undefined, { signal: ending.signal }).catch(() => {})
      }
    }
  }
  const end = async () => {
    ending.abort()
    clearInterval(logWatch)
    await returning
    await leaveSeat(site, guest, seat?.client ?? null)
  }

  const logWatch = setInterval(() => boundLog(site.dataDir).catch(() => {}), 30_000).unref()
  sit(first)
  return { stop: () => (stopped ??= end()) }
}
