import { setImmediate } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

declare module 'fastify' {
  interface FastifyInstance {
    /** From when the forum is told to stop: whoever still asks is served, and their connection ended. */
    readonly isClosing: boolean
  }
}

/** A round of the event loop that took no longer had little to do; how many are waited for at the most. Milliseconds. */
const SHORT = 1
const ROUNDS = 200

/**
 * While the forum stops, an answer ends its connection: one kept alive for a next request, which would find nobody, holds up
 * the stop until it times out.
 */
export function registerClosing(app: FastifyInstance): void {
  let isClosing = false
  app.decorate('isClosing', { getter: () => isClosing })
  app.addHook('preClose', async () => {
    isClosing = true
    await takeWhoWaits()
  })
  app.addHook('onSend', async (_request, reply) => {
    if (isClosing) reply.header('connection', 'close')
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
