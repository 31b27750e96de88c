import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Moment } from '../text/moment.ts'
import { freshForm } from '../web/form.ts'
import { translatorFor } from '../web/language.ts'
import { contextOf, type PageContext } from '../web/page.ts'
import type { PageLinks } from '../web/pages.ts'
import { movedTo, SECURITY, type SecuritySection, securityPath } from '../web/paths.ts'
import { settingsNav } from '../web/settings-nav.ts'
import { factorsOf } from './identity/factors.ts'
import { askingOf, type SentToSecurity } from './identity/reauthentication.ts'
import { ownPasskeys } from './passkeys/settings-page.ts'
import { ownWays } from './providers/settings-page.ts'
import { secondFactorStep } from './second-factor/pages.ts'
import { sessionRows } from './sessions/session-list.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** A page of the account's entries in the log, of the person who asks. */
    ownActivity(context: PageContext, timeZone: string): Promise<OwnActivity>
  }
}

export interface OwnActivity extends PageLinks {
  readonly entries: readonly {
    readonly happenedAt: Moment
    readonly act: string
    readonly details: string
  }[]
}

/** Where each section was a page of its own. */
const FORMER: Readonly<Record<SecuritySection, string>> = {
  devices: '/settings/sessions',
  'sign-in': '/settings/sign-in',
  passkeys: '/settings/passkeys',
  'second-factor': '/settings/second-factor',
  activity: '/settings/activity',
}

export function registerSecurity(app: FastifyInstance): void {
  app.get(SECURITY, async (request, reply) => showSecurity(request, reply))
  for (const [section, path] of Object.entries(FORMER) as [SecuritySection, string][])
    app.get(path, async (request, reply) => {
      request.requirePerson()
      return movedTo(request, reply, securityPath(section))
    })
}

/**
 * How somebody signs in, where they are signed in, and what happened of late: views/accounts/security.eta. Neither passwords nor codes that
 * were typed come back.
 */
export async function showSecurity(
  request: FastifyRequest,
  reply: FastifyReply,
  { status = 200, passkeyForm = freshForm(), factorForm = freshForm() }: SentToSecurity = {},
) {
  const person = request.requirePerson()
  const { db } = request.server
  const asking = await askingOf(contextOf(request))
  const timeZone = await request.server.timeZoneFor(request)
  const page = {
    title: translatorFor(request)('accounts.security.title'),
    ...settingsNav(contextOf(request), SECURITY),
    ...asking,
    ...(await factorsOf(db, person.id)),
    ...(await ownWays(request, person, timeZone)),
    ...(await ownPasskeys(request, person, timeZone)),
    ...(await secondFactorStep(request, person, asking.account)),
    sessions: await sessionRows(request, person, timeZone),
    activity: await request.server.ownActivity(contextOf(request), timeZone),
    passkeyForm: { typed: {}, errors: passkeyForm.errors },
    factorForm: { typed: {}, errors: factorForm.errors },
  }
  return reply.page('accounts/security', page, { status })
}
