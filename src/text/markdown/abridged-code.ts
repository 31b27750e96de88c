/** Runs that cost grammars most and tell them least: tokens and hashes, rules of dashes, blank space. */
const LONG_RUN = /[\w$+/=.-]{61,}|\s{61,}/g
const KEPT_OF_RUN = 60

/** Stands for the rest of a run: a private-use character, in no one's code. */
const CUT = '\uE000'

/** Code with its long runs shortened, and what was cut from them, in order. */
export interface AbridgedCode {
  readonly short: string
  readonly cut: readonly string[]
}

/** Shortens long runs of code; null when it holds the very character that marks a cut. */
export function abridge(code: string): AbridgedCode | null {
  if (code.includes(CUT)) return null
  const cut: string[] = []
  const short = code.replace(LONG_RUN, (run) => {
    cut.push(run.slice(KEPT_OF_RUN))
    return run.slice(0, KEPT_OF_RUN) + CUT
  })
  return { short, cut }
}

/**
 * Puts back what was cut, into HTML made of the short code by adding tags only; no run holds what HTML
 * escapes.
 */
export function restore(html: string, cut: readonly string[]): string {
  let next = 0
  return html.replaceAll(CUT, () => cut[next++] ?? '')
}
