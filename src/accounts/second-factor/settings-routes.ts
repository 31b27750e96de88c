import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type FormState, freshForm } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import type { Guesses } from '../identity/guesses.ts'
import { sessionOf } from '../identity/in-session.ts'
import { refuseStranger } from '../identity/password-again.ts'
import { appConfirmation, appRemoval, appSetUp, recoveryCodesRenewal } from './operations.ts'
import { showCodes } from './recovery-codes-page.ts'
import { showSecondFactor } from './settings-page.ts'

const PATH = '/settings/second-factor'

/** Turning a second factor on and off. Each step but the code itself asks for the password again. */
export function registerSecondFactorSettings(app: FastifyInstance, guesses: Guesses): void {
  const formPage = () => PATH
  const keyWithKeys = (request: FastifyRequest) => ({ ...sessionOf(request), keys: app.secretKeys })
  const again = {
    formPage,
    instead: (request: FastifyRequest, reply: FastifyReply) =>
      refuseStranger(request, reply, guesses, (form, status) => show(request, reply, form, status)),
  }
  const done = () => PATH
  const shown = (request: FastifyRequest, reply: FastifyReply, codes: readonly string[] | null) =>
    codes === null ? null : showCodes(request, reply, codes, PATH)

  app.get(PATH, async (request, reply) => show(request, reply, freshForm()))
  openForm(app, PATH, appSetUp, {
    ...again,
    key: keyWithKeys,
    done,
  })
  openForm(app, `${PATH}/confirmation`, appConfirmation, {
    formPage,
    key: keyWithKeys,
    done,
    shown,
    refused: (request, reply, form) => show(request, reply, form, 422),
  })
  openForm(app, `${PATH}/recovery-codes`, recoveryCodesRenewal, { ...again, key: sessionOf, done, shown })
  openForm(app, `${PATH}/delete`, appRemoval, {
    ...again,
    key: sessionOf,
    done,
    flash: () => 'secondFactor.flash.off',
  })
}

function show(request: FastifyRequest, reply: FastifyReply, form: FormState, status = 200) {
  return showSecondFactor(request, reply, request.requirePerson(), form, status)
}
