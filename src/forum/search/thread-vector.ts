import { plainText } from '../../text/plain.ts'
import { rememberTerms } from '../../text/words/terms.ts'
import { documentVector } from './document.ts'

/** What a thread of the forum is found by, as HTML where it is that. */
export interface ThreadTexts {
  readonly title: string
  readonly tags: readonly string[]
  readonly accepted_html: string | null
  /** The question first. */
  readonly others_html: readonly string[]
}

/** A thread is indexed again with each post in it, and threads of one forum share most of their words. */
const rememberedTermsOf = rememberTerms(5000)

/** The text form of a tsvector. */
export function vectorOf({ title, tags, accepted_html, others_html }: ThreadTexts): string {
  const acceptedAnswer = accepted_html === null ? null : plainText(accepted_html)
  const others = others_html.map(plainText)
  return documentVector({ title, tags, acceptedAnswer, others }, rememberedTermsOf)
}
