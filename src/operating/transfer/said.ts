import { hasMessage, type Translate } from '../../messages/catalogue.ts'

/** What a reader, a converter or a check says of an export, in words of the page. */
export interface Said {
  readonly text: string
  /** null: that of the page. */
  readonly lang: 'en' | null
}

/** Members that no schema has, by file: pages have one line for all. */
const UNKNOWN = /: a member that is not known, left out$/

/**
 * What is said of an export in English, as the page says it. Each sentence that is known has a message of its own letters and digits; a
 * new one stays English, and is marked so.
 */
export function saidOn(t: Translate, english: string): Said {
  const sentence = UNKNOWN.test(english) ? 'members that are not known: left out' : english
  const name = sentence.toLowerCase().replace(/[^a-z0-9]+/g, '-')
  return hasMessage(`transfer.said.${name}`)
    ? { text: t(`transfer.said.${name}`), lang: null }
    : { text: sentence, lang: 'en' }
}
