import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { circumstancesOf } from '../accounts/circumstances.ts'
import type { Guesses } from '../accounts/guesses.ts'
import { sessionOf } from '../accounts/in-session.ts'
import type { Person } from '../accounts/person.ts'
import { askWhoItIs } from '../accounts/reauthentication.ts'
import { translatorOf } from '../messages/catalogue.ts'
import { freshForm, refuse } from '../web/form.ts'
import { languageOfRequest } from '../web/language.ts'
import { codeForm, passwordAgainForm } from './forms.ts'
import {
  findSecondFactor,
  renewRecoveryCodes,
  setUpSecondFactor,
  turnOffInSession,
  turnOn,
} from './second-factor.ts'
import { showSecondFactor } from './settings-page.ts'

declare module '../web/views.ts' {
  interface Pages {
    'second-factor/recovery-codes': RecoveryCodesPage
  }
}

export interface RecoveryCodesPage {
  readonly codes: readonly string[]
}

const PATH = '/settings/second-factor'

/** Turning a second factor on and off. Each step but the code itself asks for the password again. */
export function registerSecondFactorSettings(app: FastifyInstance, guesses: Guesses): void {
  const config = { limit: 'signIn', needsPerson: true, formPage: () => PATH } as const

  app.get(PATH, async (request, reply) =>
    showSecondFactor(request, reply, request.requirePerson(), freshForm()),
  )

  app.post(PATH, { config }, async (request, reply) => {
    const person = request.requirePerson()
    const refused = await refuseStranger(request, reply, guesses, person)
    if (refused !== null) return refused
    await setUpSecondFactor(app.db, sessionOf(request))
    return reply.redirect(PATH, 303)
  })

  app.post(`${PATH}/confirmation`, { config }, async (request, reply) => {
    const person = request.requirePerson()
    const form = codeForm.parse(request.body)
    if (!form.ok) return showSecondFactor(request, reply, person, form, 422)
    const factor = await findSecondFactor(app.db, person.id)
    if (factor === null || factor.isOn) return reply.redirect(PATH, 303)
    const { code } = form.values
    const codes = await turnOn(app.db, sessionOf(request), code, circumstancesOf(request))
    if (codes === null) {
      return showSecondFactor(request, reply, person, refuse(form, 'code', 'secondFactor.code.wrong'), 422)
    }
    request.log.info({ event: 'second-factor-on', personId: person.id }, 'second factor turned on')
    return showCodes(request, reply, codes)
  })

  app.post(`${PATH}/recovery-codes`, { config }, async (request, reply) => {
    const person = request.requirePerson()
    const refused = await refuseStranger(request, reply, guesses, person)
    if (refused !== null) return refused
    const codes = await renewRecoveryCodes(app.db, sessionOf(request), circumstancesOf(request))
    if (codes === null) return reply.redirect(PATH, 303)
    request.log.info({ event: 'recovery-codes-made', personId: person.id }, 'new recovery codes made')
    return showCodes(request, reply, codes)
  })

  app.post(`${PATH}/delete`, { config }, async (request, reply) => {
    const person = request.requirePerson()
    const refused = await refuseStranger(request, reply, guesses, person)
    if (refused !== null) return refused
    await turnOffInSession(app.db, sessionOf(request), circumstancesOf(request))
    request.log.info({ event: 'second-factor-off', personId: person.id }, 'second factor turned off')
    return reply.flash('secondFactor.flash.off').redirect(PATH, 303)
  })
}

/** @returns the page that asks for the password again; null when it was right */
async function refuseStranger(
  request: FastifyRequest,
  reply: FastifyReply,
  guesses: Guesses,
  person: Person,
): Promise<string | null> {
  const form = passwordAgainForm.parse(request.body)
  if (!form.ok) return showSecondFactor(request, reply, person, form, 422)
  const typed = { field: 'current_password', password: form.values.current_password }
  const refusal = await askWhoItIs(request, reply, guesses, form, typed)
  return refusal === null ? null : showSecondFactor(request, reply, person, refusal.form, refusal.status)
}

/** Shown this once: only their hashes are kept. */
function showCodes(request: FastifyRequest, reply: FastifyReply, codes: readonly string[]) {
  const t = translatorOf(languageOfRequest(request))
  return reply.page('second-factor/recovery-codes', { title: t('secondFactor.recovery.title'), codes })
}
