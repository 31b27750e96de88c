import { accountLetter, type Where } from '../accounts/letters.ts'

/** Tells that signing in needs a code from now on. */
export const secondFactorOnLetter = (...where: Where) =>
  accountLetter('secondFactorOn', '/settings/second-factor', ...where)

/** Tells that it needs none any more. */
export const secondFactorOffLetter = (...where: Where) =>
  accountLetter('secondFactorOff', '/forgotten-password', ...where)

/** Tells that an app or a passkey is gone, while another is still asked for. */
export const factorRemovedLetter = (...where: Where) =>
  accountLetter('factorRemoved', '/forgotten-password', ...where)
