import type { FastifyRequest } from 'fastify'
import { sessionOf } from '../../accounts/identity/in-session.ts'
import { readPushKeys } from './keys.ts'
import { isSubscribed } from './subscriptions.ts'

/** Pushes to the browser that asks: views/pushing/_section.eta. */
export interface PushSection {
  readonly isOn: boolean
  /** The forum's public key, which public/js/push.js subscribes with. */
  readonly key: string
}

/** @returns null: the keys cannot be read or made, so that nothing can be pushed */
export async function pushSectionFor(request: FastifyRequest): Promise<PushSection | null> {
  const { db, config, log } = request.server
  try {
    const { publicKey: key } = await readPushKeys(config.dataDir)
    return { key, isOn: await isSubscribed(db, sessionOf(request), key) }
  } catch (error) {
    log.warn({ err: error }, 'no pushes: the keys cannot be used')
    return null
  }
}
