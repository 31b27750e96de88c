import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { IntlMessageFormat } from 'intl-messageformat'
import { LRUCache } from 'lru-cache'
import { LANGUAGES, type Language } from './language.ts'

export type MessageValues = Readonly<Record<string, string | number>>
/** Turns a message's key and values into a sentence of one language; plain text, never HTML. */
export type Translate = (key: string, values?: MessageValues) => string
/** A sentence not yet said in any language. */
export interface Message {
  readonly key: string
  readonly values?: MessageValues
}

export { LANGUAGES } from './language.ts'

const catalogues = new Map(LANGUAGES.map((language) => [language, readCatalogue(language)]))
const formats = new Map<string, IntlMessageFormat>()

/** All messages of a language: a flat map made of every file in its folder. */
export function catalogueOf(language: Language): Readonly<Record<string, string>> {
  return catalogues.get(language) ?? {}
}

export function hasMessage(key: string): boolean {
  return LANGUAGES.every((language) => Object.hasOwn(catalogueOf(language), key))
}

/** @returns the translator of a language. A key without a message is a mistake of ours and throws. */
export function translatorOf(language: Language): Translate {
  const catalogue = catalogueOf(language)
  return (key, values) => {
    const message = catalogue[key]
    if (message === undefined) throw new Error(`No message ${key} in ${language}`)
    // Most messages have neither braces nor apostrophes: those need no formatter.
    if (values === undefined && !/[{']/.test(message)) return message
    if (values !== undefined && !Object.values(values).every((value) => typeof value === 'number')) {
      return String(formatOf(language, key, message).format(values))
    }
    return counted(language, key, message, values)
  }
}

/** Sentences whose only values are numbers, which are few: formatting them is a tenth of what a page costs. */
const sentences = new LRUCache<string, string>({ max: 20_000 })

function counted(
  language: Language,
  key: string,
  message: string,
  values: MessageValues | undefined,
): string {
  const name = `${language} ${key} ${Object.values(values ?? {}).join(' ')}`
  const known = sentences.get(name)
  if (known !== undefined) return known
  const made = String(formatOf(language, key, message).format(values))
  sentences.set(name, made)
  return made
}

/** Parsing a message costs far more than formatting it, so each is parsed once. */
function formatOf(language: Language, key: string, message: string): IntlMessageFormat {
  const name = `${language} ${key}`
  const known = formats.get(name)
  if (known !== undefined) return known
  const made = new IntlMessageFormat(message, language, undefined, { ignoreTag: true })
  formats.set(name, made)
  return made
}

function readCatalogue(language: Language): Record<string, string> {
  const folder = join(import.meta.dirname, language)
  const parts = readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .map((file): Record<string, string> => JSON.parse(readFileSync(join(folder, file), 'utf8')))
  return Object.assign({}, ...parts)
}
