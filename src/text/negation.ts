/** Words and beginnings of words that deny something. */
const ENGLISH = /^(?:not?|never|none|without|cannot|\w+n['’]?t)$/iu
const KOREAN = /^(?:안|못)$|않|없|아니|아닌|말고|^(?:안|못)(?:되|돼|됨|됩|된|됐|하|해|함|합|한|했)/u

/** Whether a word denies something. A correction that adds or drops this would say the opposite. */
export function denies(word: string): boolean {
  return ENGLISH.test(word) || KOREAN.test(word)
}
