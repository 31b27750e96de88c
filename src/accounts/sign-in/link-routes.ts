import type { FastifyInstance } from 'fastify'
import { noteEvent } from '../../kernel/audit/note.ts'
import { faceOf } from '../../text/face.ts'
import { openForm } from '../../web/forms/door.ts'
import { translatorFor } from '../../web/language.ts'
import { queryParam } from '../../web/params.ts'
import { logSerializers } from '../../web/transport/log-serializers.ts'
import { DeadLink } from '../identity/mail-links.ts'
import { DEAD_LINK, OF_LINK, orDeadLink, showDeadLink, tokenOf } from '../identity/opened-link.ts'
import { welcome } from '../sessions/welcome.ts'
import { personOfLink, signInLinkUse } from './links.ts'

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
    reply.header('cache-control', 'private, no-store')
    const page = {
      title: translatorFor(request)('accounts.link.title'),
      token,
      displayName: person.displayName,
      byline: faceOf(person),
      // Without the token, which the shell's own would carry on.
      signInPath: '/sign-in',
    }
    return reply.page<typeof page>('accounts/link', page)
  })

  openForm(app, '/sign-in/link', signInLinkUse, {
    key: tokenOf,
    ...OF_LINK,
    done: () => '/',
    shown(request, reply, { isClaimed, ...shown }) {
      const flash = isClaimed ? 'accounts.flash.claimedByLink' : 'accounts.flash.signedIn'
      return welcome(request, reply, { ...shown, way: 'link', path: isClaimed ? '/settings' : '/', flash })
    },
    failed(request, reply, error) {
      if (error instanceof DeadLink) noteEvent(request, 'sign-in-refused', { way: 'link' })
      return orDeadLink(DEAD_LINK)(request, reply, error)
    },
  })
}
