import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { noteEvent } from '../events/note.ts'
import { translatorOf } from '../messages/catalogue.ts'
import { initialsOf } from '../people/initials.ts'
import { languageOfRequest } from '../web/language.ts'
import { queryParam } from '../web/params.ts'
import { linkForm } from './forms.ts'
import { personOfLink, useSignInLink } from './links.ts'
import { welcome } from './welcome.ts'

declare module '../web/views.ts' {
  interface Pages {
    'accounts/link': LinkPage
    'accounts/dead-link': DeadLinkPage
  }
}

export interface LinkPage {
  readonly token: string
  readonly displayName: string
  readonly initials: string
  /** Without the token, which the shell's own would carry on. */
  readonly signInPath: string
}

export interface DeadLinkPage {
  /** Ready texts: what happened, and what to do. */
  readonly text: string
  readonly advice: string
  readonly signInPath: string
}

/** What the page of a dead link says: what happened, and what to do. */
const DEAD_LINK = {
  title: 'accounts.deadLink.title',
  text: 'accounts.deadLink.text',
  advice: 'accounts.deadLink.advice',
}

/** What the log may know of an address with a token in it: everything but the token. */
export const logSerializers = {
  req: (request: { method: string; url: string; host: string; ip: string }) => ({
    method: request.method,
    url: request.url.split('?')[0] ?? '/',
    host: request.host,
    remoteAddress: request.ip,
  }),
}

/**
 * One-time sign-in links. Opening one changes nothing, as mail scanners open every link; the button on the page signs in.
 * The forum's Referrer-Policy, same-origin, keeps the token from every other site. `no-referrer` would break the button: with
 * it a browser sends `Origin: null` (Fetch standard, "append a request Origin header"), which web/csrf.ts must refuse.
 */
export function registerLinks(app: FastifyInstance): void {
  app.get('/sign-in/link', { logSerializers }, async (request, reply) => {
    const token = queryParam(request, 'token')
    const person = token === null ? null : await personOfLink(app.db, token)
    if (token === null || person === null) return showDeadLink(request, reply, DEAD_LINK)
    const t = translatorOf(languageOfRequest(request))
    const { displayName } = person
    const initials = initialsOf(displayName)
    reply.header('cache-control', 'private, no-store')
    return reply.page('accounts/link', {
      title: t('accounts.link.title'),
      token,
      displayName,
      initials,
      signInPath: '/sign-in',
    })
  })

  app.post('/sign-in/link', { config: { limit: 'signIn' } }, async (request, reply) => {
    const form = linkForm.parse(request.body)
    const access = form.ok ? await useSignInLink(app.db, form.values.token) : null
    if (access === null) {
      noteEvent(request, 'sign-in-refused', { way: 'link', address: request.ip })
      return showDeadLink(request, reply, DEAD_LINK)
    }
    return welcome(request, reply, { ...access, way: 'link', path: '/', flash: 'accounts.flash.signedIn' })
  })
}

/** 410: there may have been such a link, there is none any more. @param keys of what the page says */
export function showDeadLink(request: FastifyRequest, reply: FastifyReply, keys: typeof DEAD_LINK) {
  const t = translatorOf(languageOfRequest(request))
  const data = { title: t(keys.title), text: t(keys.text), advice: t(keys.advice), signInPath: '/sign-in' }
  return reply.page('accounts/dead-link', data, { status: 410 })
}
