import { pathWith } from '../../web/paths.ts'
import { accountLetter, type Where } from './letters.ts'

/** Tells that signing in needs a code from now on, with the way back: an owner who did not turn it on cannot sign in. */
export const secondFactorOnLetter = (token: string, ...where: Where) =>
  accountLetter('secondFactorOn', pathWith('/undo-second-factor', { token }), ...where)

/** Tells that the recovery codes are others now. */
export const recoveryCodesLetter = (...where: Where) =>
  accountLetter('recoveryCodes', '/forgotten-password', ...where)

/** Tells that it needs none any more. */
export const secondFactorOffLetter = (...where: Where) =>
  accountLetter('secondFactorOff', '/forgotten-password', ...where)

/** Tells that an app or a passkey is gone, while another is still asked for. */
export const factorRemovedLetter = (...where: Where) =>
  accountLetter('factorRemoved', '/forgotten-password', ...where)
