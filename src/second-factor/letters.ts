import { accountLetter, type Where } from '../accounts/letters.ts'

/** Tells that signing in needs a code from now on. */
export const secondFactorOnLetter = (...where: Where) =>
  accountLetter('secondFactorOn', '/settings/second-factor', ...where)

/** Tells that it needs none any more. */
export const secondFactorOffLetter = (...where: Where) =>
  accountLetter('secondFactorOff', '/forgotten-password', ...where)
