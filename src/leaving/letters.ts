import { accountLetter, type Where } from '../accounts/letters.ts'

/** Tells that the account is gone. */
export const farewellLetter = (...where: Where) => accountLetter('farewell', '/', ...where)
