import { accountLetter, type Where } from '../accounts/letters.ts'

/** Tells that a passkey signs in from now on. */
export const passkeyAddedLetter = (...where: Where) =>
  accountLetter('passkeyAdded', '/settings/passkeys', ...where)
