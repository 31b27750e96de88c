/** The most common English words, which do not distinguish texts (after PostgreSQL's english.stop). */
const STOP_WORDS = new Set(
  `i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers herself it its
  itself they them their theirs themselves what which who whom this that these those am is are was were be been being
  have has had having do does did doing a an the and but if or because as until while of at by for with about against
  between into through during before after above below to from up down in out on off over under again further then once
  here there when where why how all any both each few more most other some such no nor not only own same so than too very
  s t can will just don should now ve ll re d m`.split(/\s+/),
)

/** @param word in lower case */
export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word)
}
