import type { HLJSApi, LanguageFn } from 'highlight.js'
import hljs from 'highlight.js/lib/core'
import { abridge, restore } from './abridged-code.ts'
import { withOurClasses } from './code-classes.ts'
import { languages, otherNames } from './languages.ts'

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

/**
 * Highlights code with our classes; null when the language is unknown, or the code would take quadratic time or more in
 * any grammar.
 */
export function highlight(code: string, language: string): string | null {
  const grammar = allLanguages.getLanguage(language)
  const abridged = abridge(code)
  if (grammar === undefined || abridged === null) return null
  if (abridged.short.split('\n').some((line) => line.length > MAX_LINE_LENGTH)) return null
  const highlighter = grammar === allLanguages.getLanguage('http') ? messageLanguages : allLanguages
  const { value } = highlighter.highlight(abridged.short, { language, ignoreIllegals: true })
  if (value.length > MAX_GROWTH * (abridged.short.length + 100)) return null
  return restore(withOurClasses(value), abridged.cut)
}

function knowing(grammars: Readonly<Record<string, LanguageFn>>): HLJSApi {
  const highlighter = hljs.newInstance()
  for (const [name, grammar] of Object.entries(grammars)) highlighter.registerLanguage(name, grammar)
  return highlighter
}
