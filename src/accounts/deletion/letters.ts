import { accountLetter, type Where } from '../identity/letters.ts'

/** Tells that the account is gone. */
export const farewellLetter = (...where: Where) => accountLetter('farewell', '/', ...where)
