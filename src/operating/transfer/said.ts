import { hasMessage, type Translate } from '../../messages/catalogue.ts'

/** What a reader, a converter or a check says of an export, in words of the page. */
export interface Said {
  readonly text: string
  /** null: that of the page. */
  readonly lang: 'en' | null
}

/** Sentences with a name or a value of the file in them: pages have one line for all of a kind. */
const ALIKE: readonly (readonly [RegExp, string])[] = [
  [/: a member that is not known, left out$/, 'members that are not known: left out'],
  [/ is no export that is known: /, 'the file is no export that is known'],
  [
    /^(?:of the kind|post of type|tag wiki|wiki placeholder|privilege wiki|moderator nomination)\b/,
    'neither a question nor an answer',
  ],
  [/^its question: /, 'their question was left out'],
]

/**
 * What is said of an export in English, as the page says it. Each sentence that is known has a message of its own letters and digits; a
 * new one stays English, and is marked so.
 */
export function saidOn(t: Translate, english: string): Said {
  const sentence = ALIKE.find(([like]) => like.test(english))?.[1] ?? english
  const name = sentence.toLowerCase().replace(/[^a-z0-9]+/g, '-')
  return hasMessage(`transfer.said.${name}`)
    ? { text: t(`transfer.said.${name}`), lang: null }
    : { text: sentence, lang: 'en' }
}
