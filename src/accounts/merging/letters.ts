import { accountLetter, type Where } from '../identity/letters.ts'

/** Tells that two accounts became one. */
export const mergedLetter = (...where: Where) => accountLetter('accountsMerged', '/sign-in', ...where)

/** Tells that there are two accounts again. */
export const mergeUndoneLetter = (...where: Where) => accountLetter('mergeUndone', '/sign-in', ...where)
