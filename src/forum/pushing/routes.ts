import type { FastifyInstance } from 'fastify'
import { sessionOf } from '../../accounts/identity/own-account.ts'
import { Problem } from '../../kernel/problem.ts'
import { readPushKeys } from './push-service.ts'
import { subscribe, subscriptionSchema, unsubscribeBrowser } from './subscriptions.ts'

const SETTINGS = '/settings/notifications'
const PATH = `${SETTINGS}/push` as const

/** Switches pushes on and off for the one browser that asks. */
export function registerPushing(app: FastifyInstance): void {
  const config = { limit: 'posting', needsPerson: true, formPage: () => SETTINGS } as const
  app.post(PATH, { config }, async (request, reply) => {
    const session = sessionOf(request)
    const { success, data: subscription } = subscriptionSchema.safeParse(request.body)
    if (!success) throw new Problem('invalid')
    const { publicKey } = await readPushKeys(app.config.dataDir)
    await subscribe(app.db, session, subscription, publicKey)
    return reply.flash('pushing.flash.on').redirect(SETTINGS, 303)
  })
  app.post(`${PATH}/end`, { config }, async (request, reply) => {
    await unsubscribeBrowser(app.db, sessionOf(request))
    return reply.flash('pushing.flash.off').redirect(SETTINGS, 303)
  })
}
