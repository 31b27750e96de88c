import { readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { FastifyInstance } from 'fastify'

/** File descriptors that are kept for the database, files, mail, and the process itself. */
const RESERVE = 64
/** Milliseconds between two lines that connections were refused. */
const SAID_EVERY = 60_000

/**
 * Refuses connections while the process has as many as its file descriptors allow (`ulimit -n`): without any left it could neither
 * open a file nor reach the database, and errors would come where nobody expects them.
 */
export function registerConnectionLimit(app: FastifyInstance): void {
  const files = fileLimit()
  if (files !== null) limitConnections(app, Math.max(1, files - RESERVE, Math.floor(files / 2)))
}

/** @param most connections at once */
export function limitConnections(
  { server, log }: { server: Server } & Pick<FastifyInstance, 'log'>,
  most: number,
): void {
  server.maxConnections = most
  let [refused, saidAt] = [0, Number.NEGATIVE_INFINITY]
  server.on('drop', () => {
    refused += 1
    if (performance.now() - saidAt < SAID_EVERY) return
    log.error(
      { refused, most },
      'connections are refused: raise the limit of open files (LimitNOFILE, ulimit -n)',
    )
    saidAt = performance.now()
    refused = 0
  })
}

/** How many files this process may have open; null: not known here, or any number. Node raises the soft limit to the hard one. */
function fileLimit(): number | null {
  try {
    const limit = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
    return limit === undefined ? null : Number(limit)
  } catch {
    return null
  }
}
