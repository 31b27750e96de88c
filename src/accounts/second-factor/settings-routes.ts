import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { openForm } from '../../web/forms/door.ts'
import { securityPath } from '../../web/paths.ts'
import { sessionOf } from '../identity/own-account.ts'
import { refuseStranger, type ShowSecurity } from '../identity/reauthentication.ts'
import { showCodes } from './pages.ts'
import { appConfirmation, appRemoval, appSetUp, recoveryCodesRenewal } from './second-factor.ts'

const PATH = '/settings/second-factor'

/** Turning a second factor on and off. Each step but the code itself asks for the password again. */
export function registerSecondFactorSettings(app: FastifyInstance, showSecurity: ShowSecurity): void {
  const formPage = () => securityPath('second-factor')
  const keyWithKeys = (request: FastifyRequest) => ({ ...sessionOf(request), keys: app.secretKeys })
  const own = { formPage, done: formPage, key: sessionOf }
  const again = {
    ...own,
    instead: (request: FastifyRequest, reply: FastifyReply) => refuseStranger(request, reply, showSecurity),
  }
  const shown = (request: FastifyRequest, reply: FastifyReply, codes: readonly string[] | null) =>
    codes === null ? null : showCodes(request, reply, codes, formPage())

  openForm(app, PATH, appSetUp, { ...again, key: keyWithKeys })
  openForm(app, `${PATH}/confirmation`, appConfirmation, {
    ...own,
    key: keyWithKeys,
    shown,
    refused: showSecurity,
  })
  openForm(app, `${PATH}/recovery-codes`, recoveryCodesRenewal, { ...again, shown })
  openForm(app, `${PATH}/delete`, appRemoval, { ...again, flash: () => 'secondFactor.flash.off' })
}
