import { pathWith, securityPath } from '../../web/paths.ts'
import { accountLetter, type Where } from '../identity/letters.ts'

/** Tells that an account at a provider signs in from now on, with the way back. */
export const accountLinkedLetter =
  (provider: string) =>
  (token: string, ...where: Where) =>
    accountLetter('accountLinked', pathWith('/undo-second-factor', { token }), ...where, { provider })

/** Tells that it does no more. */
export const accountUnlinkedLetter = (provider: string, ...where: Where) =>
  accountLetter('accountUnlinked', securityPath('sign-in'), ...where, { provider })
