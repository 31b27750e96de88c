import { ECDH } from 'node:crypto'
import { isIP } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { sessionOf } from '../../accounts/identity/own-account.ts'
import { Problem } from '../../kernel/problem.ts'
import { readPushKeys } from './push-service.ts'
import { type Subscription, subscribe, unsubscribeBrowser } from './subscriptions.ts'

const SETTINGS = '/settings/notifications'
const PATH = `${SETTINGS}/push` as const

/** Switches pushes on and off for the one browser that asks. */
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

const MAX_ENDPOINT = 1000
/** Some browsers pad base64url. */
const unpadded = (value: string) => value.replace(/={1,2}$/, '')

const schema = z.object({
  endpoint: z.string().max(MAX_ENDPOINT).refine(isEndpoint),
  p256dh: z
    .string()
    .transform(unpadded)
    .refine((key) => /^[\w-]{87}$/.test(key) && isPoint(key)),
  auth: z
    .string()
    .transform(unpadded)
    .refine((secret) => /^[\w-]{22}$/.test(secret)),
})

/** What a browser sends to get pushes; null: no browser sends this. Where its name leads is checked as it is used. */
function readSubscription(body: unknown): Subscription | null {
  const result = schema.safeParse(body)
  return result.success ? result.data : null
}

/** An https address by name, without port, name or password: push services have no others. */
function isEndpoint(value: string): boolean {
  if (!URL.canParse(value)) return false
  const { protocol, hostname, port, username, password, href } = new URL(value)
  return (
    protocol === 'https:' &&
    [port, username, password].every((part) => part === '') &&
    isIP(hostname) === 0 &&
    /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/.test(hostname) &&
    href === value
  )
}

/** Whether a key is on the curve: with another one nothing can be encrypted. */
function isPoint(key: string): boolean {
  try {
    ECDH.convertKey(key, 'prime256v1', 'base64url', 'hex', 'uncompressed')
    return true
  } catch {
    return false
  }
}
