import { createRequire } from 'node:module'
import type { HLJSApi, LanguageFn } from 'highlight.js'
import hljs from 'highlight.js/lib/core'
import { withOurClasses } from './code-classes.ts'

const require = createRequire(import.meta.url)

/** Runs that are expensive for grammars and never highlighted: tokens, hashes, rows of dashes, white space. */
const LONG_RUN = /[\w$+/=.-]{61,}|\s{61,}/g
const MAX_RUN = 60

/** Placeholder for the rest of a run: a private-use character, which no code contains. */
const PLACEHOLDER = '\uE000'

/** Shortens long runs of code. @returns the removed parts too, in order; null when the code contains the placeholder */
function abridge(code: string) {
  if (code.includes(PLACEHOLDER)) return null
  const cut: string[] = []
  const short = code.replace(LONG_RUN, (run) => {
    cut.push(run.slice(MAX_RUN))
    return run.slice(0, MAX_RUN) + PLACEHOLDER
  })
  return { short, cut }
}

/** Restores the removed parts in the HTML, which adds only tags; no run has characters that HTML escapes. */
function restore(html: string, cut: readonly string[]): string {
  let next = 0
  return html.replaceAll(PLACEHOLDER, () => cut[next++] ?? '')
}

/**
 * Languages of code blocks, by the names of their files in highlight.js; each has aliases of its own (js, kt,
 * sh, html, …).
 */
export const languages: readonly string[] =
  `bash c cpp csharp css diff dockerfile go graphql groovy http ini java javascript json kotlin makefile markdown nginx php powershell
  properties python r ruby rust scala scss shell sql swift typescript xml yaml`.split(/\s+/)

/** Further names that people use, with the language to highlight as. */
const otherNames: Readonly<Record<string, string>> = {
  env: 'properties',
  gradle: 'groovy',
  mysql: 'sql',
  node: 'javascript',
  postgresql: 'sql',
  py3: 'python',
  python3: 'python',
  psql: 'sql',
  svelte: 'xml',
  vue: 'xml',
}

/** Languages that stay as they are, which people name all the same. */
const uncoloured: ReadonlySet<string> = new Set(
  `ada asm assembly clojure cmake cobol console csv dart elixir erlang fortran fsharp haskell hcl julia latex less lisp log lua math matlab
  mermaid nim objc objectivec ocaml octave output pascal perl plain plaintext prolog racket sass scheme solidity tcl terraform tex text
  toml txt vb verilog vhdl vim zig`.split(/\s+/),
)

/** Longer lines are data or generated code. */
const MAX_LINE_LENGTH = 200

/** Maximum ratio of HTML to code; above it the text is not code: a dense line of Java grows tenfold. */
const MAX_GROWTH = 20

const allLanguages = knowing(languages)
for (const [name, languageName] of Object.entries(otherNames))
  allLanguages.registerAliases(name, { languageName })

/**
 * For HTTP messages, whose grammar detects the body's language among all registered ones: slow, and often
 * wrong if there are many.
 */
const messageLanguages = knowing(['http', 'json', 'xml'])

/** The languages that are told apart when none is given: those of most courses. */
const DETECTED = 'bash cpp csharp css diff java javascript json kotlin python sql typescript xml yaml'.split(
  ' ',
)
/** Points of highlight.js that short code reaches too. */
const MIN_RELEVANCE = 4

/** Lines as code has them, and prose and the output of programs have not. At least half must be such. */
const CODE_LINE =
  /[;{}>,[\](]\s*$|^\s*(?:import|from|def|class|return|const|let|var|public|private|protected|if|for|while|print|select|@|\/\/|\/\*|<)/i
const STACK_TRACE = /^\s*(?:at [\w.$<>]+[( ]|File ".*", line \d)/m

/** Whether a word behind the opening of a fence names a language, coloured or not. */
export function isLanguage(name: string): boolean {
  return allLanguages.getLanguage(name) !== undefined || uncoloured.has(name.toLowerCase())
}

/** Highlights code in the language it is most likely in; null when it looks like no code. */
export function detectAndHighlight(code: string): string | null {
  const abridged = abridge(code)
  if (abridged === null || hasLongLine(abridged.short) || !looksLikeCode(code)) return null
  const { language, relevance } = allLanguages.highlightAuto(abridged.short, DETECTED)
  return language === undefined || relevance < MIN_RELEVANCE ? null : highlight(code, language)
}

/** Highlights code with our classes; null: unknown language, or quadratic time in some grammar. */
export function highlight(code: string, language: string): string | null {
  const grammar = allLanguages.getLanguage(language)
  const abridged = abridge(code)
  if (grammar === undefined || abridged === null || hasLongLine(abridged.short)) return null
  const highlighter = grammar === allLanguages.getLanguage('http') ? messageLanguages : allLanguages
  const { value } = highlighter.highlight(abridged.short, { language, ignoreIllegals: true })
  if (value.length > MAX_GROWTH * (abridged.short.length + 100)) return null
  return restore(withOurClasses(value), abridged.cut)
}

function looksLikeCode(code: string): boolean {
  const lines = code.split('\n').filter((line) => line.trim() !== '')
  const like = lines.filter((line) => CODE_LINE.test(line))
  return !STACK_TRACE.test(code) && like.length * 2 >= lines.length
}

function hasLongLine(code: string): boolean {
  return code.split('\n').some((line) => line.length > MAX_LINE_LENGTH)
}

function knowing(names: readonly string[]): HLJSApi {
  const highlighter = hljs.newInstance()
  for (const name of names) {
    const grammar: LanguageFn = require(`highlight.js/lib/languages/${name}`)
    highlighter.registerLanguage(name, grammar)
  }
  return highlighter
}
