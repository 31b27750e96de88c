import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { noteEvent } from '../../audit-log/note.ts'
import type { Person } from '../../rights/person.ts'
import { type FormState, freshForm, refuse } from '../../web/form.ts'
import { circumstancesOf } from '../identity/circumstances.ts'
import type { Guesses } from '../identity/guesses.ts'
import { sessionOf } from '../identity/in-session.ts'
import { refuseStranger } from '../identity/password-again.ts'
import { codeForm } from './forms.ts'
import { renewRecoveryCodes, setUpSecondFactor, turnOffInSession } from './in-session.ts'
import { showCodes } from './recovery-codes-page.ts'
import { findSecondFactor, turnOn } from './second-factor.ts'
import { showSecondFactor } from './settings-page.ts'

const PATH = '/settings/second-factor'

/** Turning a second factor on and off. Each step but the code itself asks for the password again. */
export function registerSecondFactorSettings(app: FastifyInstance, guesses: Guesses): void {
  const config = { limit: 'signIn', needsPerson: true, formPage: () => PATH } as const

  app.get(PATH, async (request, reply) =>
    showSecondFactor(request, reply, request.requirePerson(), freshForm()),
  )

  app.post(PATH, { config }, async (request, reply) => {
    const person = request.requirePerson()
    const refused = await refuseStranger(request, reply, guesses, showTo(request, reply, person))
    if (refused !== null) return refused
    await setUpSecondFactor(app.db, app.secretKeys, sessionOf(request))
    return reply.redirect(PATH, 303)
  })

  app.post(`${PATH}/confirmation`, { config }, async (request, reply) => {
    const person = request.requirePerson()
    const form = codeForm.parse(request.body)
    if (!form.ok) return showSecondFactor(request, reply, person, form, 422)
    const factor = await findSecondFactor(app.db, app.secretKeys, person.id)
    if (factor === null || factor.isOn) return reply.redirect(PATH, 303)
    const { code } = form.values
    const codes = await turnOn(app.db, app.secretKeys, sessionOf(request), code, circumstancesOf(request))
    if (codes === null) {
      return showSecondFactor(request, reply, person, refuse(form, 'code', 'secondFactor.code.wrong'), 422)
    }
    noteEvent(request, 'second-factor-on', {})
    return showCodes(request, reply, codes, PATH)
  })

  app.post(`${PATH}/recovery-codes`, { config }, async (request, reply) => {
    const person = request.requirePerson()
    const refused = await refuseStranger(request, reply, guesses, showTo(request, reply, person))
    if (refused !== null) return refused
    const codes = await renewRecoveryCodes(app.db, sessionOf(request), circumstancesOf(request))
    if (codes === null) return reply.redirect(PATH, 303)
    noteEvent(request, 'recovery-codes-made', {})
    return showCodes(request, reply, codes, PATH)
  })

  app.post(`${PATH}/delete`, { config }, async (request, reply) => {
    const person = request.requirePerson()
    const refused = await refuseStranger(request, reply, guesses, showTo(request, reply, person))
    if (refused !== null) return refused
    await turnOffInSession(app.db, sessionOf(request), circumstancesOf(request))
    noteEvent(request, 'second-factor-off', {})
    return reply.flash('secondFactor.flash.off').redirect(PATH, 303)
  })
}

function showTo(request: FastifyRequest, reply: FastifyReply, person: Person) {
  return (form: FormState, status: number) => showSecondFactor(request, reply, person, form, status)
}
