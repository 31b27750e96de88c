import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Problem } from '../../web/problem.ts'
import { readSubscription } from './form.ts'
import { readPushKeys } from './keys.ts'
import { isSubscribed, subscribe, unsubscribeBrowser } from './subscriptions.ts'

/** Pushes to the browser that asks: views/pushing/_section.eta. */
export interface PushSection {
  readonly isOn: boolean
  /** The forum's public key, which public/js/push.js subscribes with. */
  readonly key: string
}

const SETTINGS = '/settings/notifications'
const PATH = `${SETTINGS}/push` as const

/** `POST /settings/notifications/push` and `…/push/end`: switches pushes on and off for the browser that asks. */
export function registerPushing(app: FastifyInstance): void {
  const config = { limit: 'posting', needsPerson: true, formPage: () => SETTINGS } as const
  app.post(PATH, { config }, async (request, reply) => {
    const session = sessionOf(request)
    const subscription = readSubscription(request.body)
    if (subscription === null) throw new Problem(422, 'badRequest')
    const { publicKey } = await readPushKeys(app.config.dataDir)
    await subscribe(app.db, session, subscription, publicKey)
    return reply.flash('pushing.flash.on').redirect(SETTINGS, 303)
  })
  app.post(`${PATH}/end`, { config }, async (request, reply) => {
    await unsubscribeBrowser(app.db, sessionOf(request).token)
    return reply.flash('pushing.flash.off').redirect(SETTINGS, 303)
  })
}

/** @returns null: the keys cannot be read or made, so that nothing can be pushed */
export async function pushSectionFor(request: FastifyRequest): Promise<PushSection | null> {
  const { db, config, log } = request.server
  try {
    const { publicKey: key } = await readPushKeys(config.dataDir)
    return { key, isOn: await isSubscribed(db, sessionOf(request).token, key) }
  } catch (error) {
    log.warn({ err: error }, 'no pushes: the keys cannot be used')
    return null
  }
}

function sessionOf(request: FastifyRequest) {
  const { id } = request.requirePerson()
  return { personId: id, token: request.sessionToken ?? '' }
}
