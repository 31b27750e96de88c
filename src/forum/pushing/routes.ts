import type { FastifyInstance } from 'fastify'
import { sessionOf } from '../../accounts/identity/in-session.ts'
import { Problem } from '../../operations/problem.ts'
import { readSubscription } from './form.ts'
import { readPushKeys } from './keys.ts'
import { subscribe, unsubscribeBrowser } from './subscriptions.ts'

const SETTINGS = '/settings/notifications'
const PATH = `${SETTINGS}/push` as const

/** `POST /settings/notifications/push` and `…/push/end`: switches pushes on and off for the browser that asks. */
export function registerPushing(app: FastifyInstance): void {
  const config = { limit: 'posting', needsPerson: true, formPage: () => SETTINGS } as const
  app.post(PATH, { config }, async (request, reply) => {
    const session = sessionOf(request)
    const subscription = readSubscription(request.body)
    if (subscription === null) throw new Problem('invalid')
    const { publicKey } = await readPushKeys(app.config.dataDir)
    await subscribe(app.db, session, subscription, publicKey)
    return reply.flash('pushing.flash.on').redirect(SETTINGS, 303)
  })
  app.post(`${PATH}/end`, { config }, async (request, reply) => {
    await unsubscribeBrowser(app.db, sessionOf(request))
    return reply.flash('pushing.flash.off').redirect(SETTINGS, 303)
  })
}
