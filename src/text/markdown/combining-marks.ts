/** Maximum marks shown on one letter. Tibetan, which stacks most, uses up to nine. */
const MAX_MARKS = 10

/** Joiners between marks attach them to the same letter. */
const BEYOND = new RegExp(`(?<=[\\p{M}\\u200C\\u200D]{${MAX_MARKS}})[\\p{M}\\u200C\\u200D]+`, 'gu')

/** Where marks may be: not in Latin, Han or Hangul letters, dashes and quotes, so that most texts are looked at once. */
const MAY_BE_MARK = /[\u0300-\u1fff\u2c00-\u33ff\ua000-\uabff\ud800-\uffff]|[\u200b-\u200e]|[\u20d0-\u20ff]/

/**
 * Truncates each run of combining marks to MAX_MARKS for display. A letter with its marks never wraps, so 147 of them
 * are wider than a phone, and they cover the lines above and below.
 */
export function boundMarks(text: string): string {
  return MAY_BE_MARK.test(text) ? text.replace(BEYOND, '') : text
}
