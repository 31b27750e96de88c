import { pathWith } from '../../web/paths.ts'
import { accountLetter, type Where } from '../identity/letters.ts'

/** Tells that a passkey signs in from now on, with the way back: an owner who did not add it may be locked out. */
export const passkeyAddedLetter = (token: string, ...where: Where) =>
  accountLetter('passkeyAdded', pathWith('/undo-second-factor', { token }), ...where)
