/** Runs that are expensive for grammars and never highlighted: tokens, hashes, rows of dashes, white space. */
const LONG_RUN = /[\w$+/=.-]{61,}|\s{61,}/g
const MAX_RUN = 60

/** Placeholder for the rest of a run: a private-use character, which no code contains. */
const PLACEHOLDER = '\uE000'

/** Code with long runs shortened, and the removed parts in order. */
export interface AbridgedCode {
  readonly short: string
  readonly cut: readonly string[]
}

/** Shortens long runs of code; null when the code contains the placeholder. */
export function abridge(code: string): AbridgedCode | null {
  if (code.includes(PLACEHOLDER)) return null
  const cut: string[] = []
  const short = code.replace(LONG_RUN, (run) => {
    cut.push(run.slice(MAX_RUN))
    return run.slice(0, MAX_RUN) + PLACEHOLDER
  })
  return { short, cut }
}

/**
 * Restores the removed parts in the highlighted HTML, which only adds tags to the short code; no run contains
 * characters that HTML escapes.
 */
export function restore(html: string, cut: readonly string[]): string {
  let next = 0
  return html.replaceAll(PLACEHOLDER, () => cut[next++] ?? '')
}
