import type { FastifyInstance, FastifyRequest } from 'fastify'
import { RHYTHMS } from '../../database/schema.ts'
import { translatorOf } from '../../messages/catalogue.ts'
import { notFound } from '../../operations/problem.ts'
import type { SecretKeys } from '../../secrets/keys.ts'
import { languageOfRequest } from '../../web/language.ts'
import { textParam } from '../../web/params.ts'
import { slowDown, unsubscribe } from './commands.ts'
import { readUnsubscribeToken, type Unsubscribing } from './scope.ts'

declare module '../../web/views.ts' {
  interface Pages {
    'mailing/unsubscribe': UnsubscribePage
  }
}

/** Ending mail by a link in it: views/mailing/unsubscribe.eta. */
export interface UnsubscribePage {
  /** What the link ends. */
  readonly what: Unsubscribing['scope']['what']
  readonly isDone: boolean
  readonly action: string
}

/**
 * `/unsubscribe/:token`: no cookie and no form's token, as mail programs send the post themselves (RFC 8058); opened by GET it changes
 * nothing, as scanners of mail open links.
 */
export function registerUnsubscribe(app: FastifyInstance, keys: SecretKeys): void {
  const page = (request: FastifyRequest, { scope }: Unsubscribing, isDone: boolean) => ({
    title: translatorOf(languageOfRequest(request))(isDone ? 'mailing.end.doneTitle' : 'mailing.end.title'),
    what: scope.what,
    isDone,
    action: `/unsubscribe/${textParam(request, 'token')}`,
  })
  const named = (request: FastifyRequest): Unsubscribing => {
    const found = readUnsubscribeToken(keys, textParam(request, 'token'))
    if (found === null) throw notFound()
    return found
  }
  app.get('/unsubscribe/:token', async (request, reply) =>
    reply.page('mailing/unsubscribe', page(request, named(request), false), { robots: 'noindex' }),
  )
  const config = { limit: 'voting', isFromAnywhere: true } as const
  void app.register(async (scope) => {
    // RFC 8058, 3.1 allows either type. There is nothing in it that the address does not say.
    scope.addContentTypeParser('multipart/form-data', { parseAs: 'buffer' }, (_request, _body, done) =>
      done(null, {}),
    )
    scope.post('/unsubscribe/:token', { config }, async (request, reply) => {
      const found = named(request)
      const { body } = request
      const wished = typeof body === 'object' && body !== null && 'rhythm' in body ? body.rhythm : null
      const rhythm = RHYTHMS.find((one) => one === wished)
      if (rhythm === undefined || rhythm === 'never') await unsubscribe(app.db, found)
      else await slowDown(app.db, found.personId, rhythm)
      return reply.page('mailing/unsubscribe', page(request, found, true), { robots: 'noindex' })
    })
  })
}
