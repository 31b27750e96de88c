import type { HLJSApi, LanguageFn } from 'highlight.js'
import hljs from 'highlight.js/lib/core'
import { abridge, restore } from './abridged-code.ts'
import { withOurClasses } from './code-classes.ts'
import { languages, otherNames, uncoloured } from './languages.ts'

/** Longer lines are data or generated code. */
const MAX_LINE_LENGTH = 200

/** Maximum ratio of HTML to code; above it the text is not code: a dense line of Java grows tenfold. */
const MAX_GROWTH = 20

const allLanguages = knowing(languages)
for (const [name, languageName] of Object.entries(otherNames))
  allLanguages.registerAliases(name, { languageName })

/**
 * For HTTP messages, whose grammar detects the body's language among all registered ones: slow, and often wrong if
 * there are many.
 */
const messageLanguages = knowing({ http: languages.http, json: languages.json, xml: languages.xml })

/** The languages that are told apart when none is given: those of most courses. */
const DETECTED = [
  ...['bash', 'cpp', 'csharp', 'css', 'diff', 'java', 'javascript', 'json', 'kotlin', 'python', 'sql'],
  ...['typescript', 'xml', 'yaml'],
]
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

/**
 * Highlights code with our classes; null when the language is unknown, or the code would take quadratic time or more in
 * any grammar.
 */
export function highlight(code: string, language: string): string | null {
  const grammar = allLanguages.getLanguage(language)
  const abridged = abridge(code)
  if (grammar === undefined || abridged === null) return null
  if (hasLongLine(abridged.short)) return null
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

function knowing(grammars: Readonly<Record<string, LanguageFn>>): HLJSApi {
  const highlighter = hljs.newInstance()
  for (const [name, grammar] of Object.entries(grammars)) highlighter.registerLanguage(name, grammar)
  return highlighter
}
