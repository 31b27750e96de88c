import { once } from 'node:events'
import { Server } from 'node:net'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

declare module 'fastify' {
  interface FastifyInstance {
    /** Whether the forum is stopping: requests are still served, and their connections closed. */
    readonly isClosing: boolean
    /** From now on /readyz says 503 and each answer ends its connection, while everybody is still served. */
    beginClosing(): void
  }
}

/** A round of the event loop that took no longer had little to do; how many are waited for at the most. Milliseconds. */
const SHORT = 1
const ROUNDS = 200

/** How long kept connections may still send a request after the forum has stopped listening. */
const LINGER_MS = 500

/**
 * While the forum stops, an answer ends its connection: one kept alive for a next request, which would find nobody, holds up
 * the stop until it times out.
 */
export function registerClosing(app: FastifyInstance): void {
  let isClosing = false
  app.decorate('isClosing', { getter: () => isClosing })
  app.decorate('beginClosing', () => {
    isClosing = true
  })
  app.addHook('preClose', async () => {
    isClosing = true
    await takeWhoWaits()
  })
  app.addHook('onSend', async (_request, reply) => {
    if (isClosing) reply.header('connection', 'close')
  })
}

/**
 * Stops listening, but leaves kept connections open for a moment: closing them while their clients send a request would reset
 * it. Requests are answered with `Connection: close`. Register it last, when nothing else holds connections open.
 */
export function registerLingering(app: FastifyInstance): void {
  app.addHook('preClose', async () => {
    const { server } = app
    if (!server.listening) return
    const allEnded = once(server, 'close')
    // http.Server's own close() also ends idle connections.
    Server.prototype.close.call(server)
    await Promise.race([allEnded, sleep(LINGER_MS, undefined, { ref: false })])
  })
}

/**
 * Connections that the system has made and this process has not taken yet are reset when it stops listening. Each round of
 * the event loop takes all there are; right after a short one there are next to none.
 */
async function takeWhoWaits(): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    const begun = performance.now()
    await setImmediate()
    if (round > 0 && performance.now() - begun < SHORT) return
  }
}
