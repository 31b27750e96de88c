import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { IntlMessageFormat } from 'intl-messageformat'
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
const translators = new Map<Language, Translate>()

/** All messages of a language: a flat map made of every file in its folder. */
export function catalogueOf(language: Language): Readonly<Record<string, string>> {
  return catalogues.get(language) ?? {}
}

export function hasMessage(key: string): boolean {
  return LANGUAGES.every((language) => Object.hasOwn(catalogueOf(language), key))
}

/** @returns the translator of a language. A key without a message is a mistake of ours and throws. */
export function translatorOf(language: Language): Translate {
  const known = translators.get(language) ?? newTranslator(language)
  translators.set(language, known)
  return known
}

function newTranslator(language: Language): Translate {
  const catalogue = catalogueOf(language)
  const sentences = new Map<string, Sentence>()
  return (key, values) => {
    const known = sentences.get(key)
    if (known !== undefined) return known.say(values)
    const message = catalogue[key]
    if (message === undefined) throw new Error(`No message ${key} in ${language}`)
    const sentence = new Sentence(language, message)
    sentences.set(key, sentence)
    return sentence.say(values)
  }
}

/** Formatted sentences that each message remembers: formatting them is a tenth of what a page costs. */
const MAX_SAID = 1000
/** Longer values hardly come again. In UTF-16 units. */
const MAX_VALUE_LENGTH = 60

/** A message in one language. Parsing it costs far more than formatting it, so it is parsed once. */
class Sentence {
  private readonly language: Language
  private readonly message: string
  /** Most messages have neither braces nor apostrophes: without values those need no formatter. */
  private readonly isPlain: boolean
  private readonly said = new Map<string | number, string>()
  private format: IntlMessageFormat | null = null

  constructor(language: Language, message: string) {
    this.language = language
    this.message = message
    this.isPlain = !/[{']/.test(message)
  }

  say(values: MessageValues | undefined): string {
    if (values === undefined && this.isPlain) return this.message
    const name = nameOf(values)
    const known = name === null ? undefined : this.said.get(name)
    if (known !== undefined) return known
    this.format ??= new IntlMessageFormat(this.message, this.language, undefined, { ignoreTag: true })
    const made = String(this.format.format(values))
    if (this.said.size >= MAX_SAID) this.said.clear()
    if (name !== null) this.said.set(name, made)
    return made
  }
}

/** What tells these values of a message from others; null: they are too long to be remembered. */
function nameOf(values: MessageValues = {}): string | number | null {
  const all = Object.entries(values)
  const [first] = all
  if (first === undefined) return ''
  // Messages with one value always have the same: its name would tell nothing.
  const name = all.length === 1 ? first[1] : JSON.stringify(all)
  return typeof name === 'string' && name.length > MAX_VALUE_LENGTH * all.length ? null : name
}

function readCatalogue(language: Language): Record<string, string> {
  const folder = join(import.meta.dirname, language)
  const parts = readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .map((file): Record<string, string> => JSON.parse(readFileSync(join(folder, file), 'utf8')))
  return Object.assign({}, ...parts)
}
