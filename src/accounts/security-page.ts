import type { FastifyInstance } from 'fastify'
import type { Moment } from '../text/moment.ts'
import { type FormState, freshForm } from '../web/form.ts'
import type { PageLinks } from '../web/list.ts'
import type { PageContext } from '../web/page.ts'
import { movedTo, SECURITY, type SecuritySection, securityPath } from '../web/paths.ts'
import { settingsPage } from '../web/settings-nav.ts'
import { factorsOf } from './identity/factors.ts'
import { askingOf } from './identity/reauthentication.ts'
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
  app.get(SECURITY, (request, reply) => showSecurity(request, reply))
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
export const showSecurity = settingsPage(
  'accounts/security',
  SECURITY,
  {},
  async (context, factorForm: FormState = freshForm(), passkeyForm: FormState = freshForm()) => {
    const asking = await askingOf(context)
    const timeZone = await context.timeZone()
    return {
      title: context.t('accounts.security.title'),
      ...asking,
      ...(await factorsOf(context.db, context.person().id)),
      ...(await ownWays(context, timeZone)),
      ...(await ownPasskeys(context, timeZone)),
      ...(await secondFactorStep(context, asking.account)),
      sessions: await sessionRows(context, timeZone),
      activity: await context.server.ownActivity(context, timeZone),
      passkeyForm: { typed: {}, errors: passkeyForm.errors },
      factorForm: { typed: {}, errors: factorForm.errors },
    }
  },
)
