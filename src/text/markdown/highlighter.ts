import type { HLJSApi, LanguageFn } from 'highlight.js'
import hljs from 'highlight.js/lib/core'
import { abridge, restore } from './abridged-code.ts'
import { withOurClasses } from './code-classes.ts'
import { languages, otherNames } from './languages.ts'

/** Lines longer than this are data or were made by machines. */
const LONGEST_LINE = 200

/** Characters of HTML for one of code, above which code is none: a busy line of Java grows tenfold. */
const MOST_GROWTH = 20

const allLanguages = knowing(languages)
for (const [name, languageName] of Object.entries(otherNames))
  allLanguages.registerAliases(name, { languageName })

/**
 * For HTTP messages, whose grammar guesses a body's language among all it knows: slow, and often wrong if it
 * knows many.
 */
const messageLanguages = knowing({ http: languages.http, json: languages.json, xml: languages.xml })

/**
 * HTML of code with its words in spans of our classes; null when the language is not known, or the code is
 * such that no grammar may have it: they take a time that grows with the square of a line and more.
 */
export function highlight(code: string, language: string): string | null {
  const grammar = allLanguages.getLanguage(language)
  const abridged = abridge(code)
  if (grammar === undefined || abridged === null) return null
  if (abridged.short.split('\n').some((line) => line.length > LONGEST_LINE)) return null
  const highlighter = grammar === allLanguages.getLanguage('http') ? messageLanguages : allLanguages
  const { value } = highlighter.highlight(abridged.short, { language, ignoreIllegals: true })
  if (value.length > MOST_GROWTH * (abridged.short.length + 100)) return null
  return restore(withOurClasses(value), abridged.cut)
}

function knowing(grammars: Readonly<Record<string, LanguageFn>>): HLJSApi {
  const highlighter = hljs.newInstance()
  for (const [name, grammar] of Object.entries(grammars)) highlighter.registerLanguage(name, grammar)
  return highlighter
}
