import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { RHYTHMS } from '../../database/schema.ts'
import { notFound, Problem } from '../../operations/problem.ts'
import type { SecretKeys } from '../../secrets/keys.ts'
import { sentFields } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { translatorFor } from '../../web/language.ts'
import { textParam } from '../../web/params.ts'
import { readUnsubscribeToken, type Unsubscribing } from './choices.ts'
import { mailEnd } from './operations.ts'

/** Ending mail by a link in it: views/mailing/unsubscribe.eta. */
interface UnsubscribePage {
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
    title: translatorFor(request)(isDone ? 'mailing.end.doneTitle' : 'mailing.end.title'),
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
    reply.page<UnsubscribePage>('mailing/unsubscribe', page(request, named(request), false), {
      robots: 'noindex',
    }),
  )
  void app.register(async (scope) => {
    // RFC 8058, 3.1 allows either type. There is nothing in it that the address does not say.
    scope.addContentTypeParser('multipart/form-data', { parseAs: 'buffer' }, (_request, _body, done) =>
      done(null, {}),
    )
    const ended = async (request: FastifyRequest, reply: FastifyReply) =>
      reply.page<UnsubscribePage>('mailing/unsubscribe', page(request, named(request), true), {
        robots: 'noindex',
      })
    openForm(scope, '/unsubscribe/:token', mailEnd, {
      isFromAnywhere: true,
      actor: (request) => ({ id: named(request).personId }),
      key: () => null,
      input(request) {
        const { rhythm } = sentFields(request.body)
        return { id: '', ...named(request).scope, rhythm: RHYTHMS.find((one) => one === rhythm) }
      },
      done: (_, request) => request.url,
      shown: ended,
      // A deleted account gets no email.
      failed: (request, reply, error) =>
        error instanceof Problem && error.key === 'leaving' ? ended(request, reply) : null,
    })
  })
}
