import { renderedBody } from '../../forum/posts/text.ts'
import { prepareMarkdown } from '../../text/markdown.ts'
import { showsNothing } from '../../text/plain.ts'
import { cleanText } from './clean-text.ts'
import { literally } from './literally.ts'
import { postMarkdown } from './post-markdown.ts'
import type { Tally } from './tally.ts'

/** The body of a post without any text: its answers and replies are worth keeping. */
const NO_TEXT = '(no text)'

/** The tally's notes on texts, by how closely they match the original. */
const NOTES = {
  exact: 'texts shown exactly as they were',
  words: 'texts with the same words and other emphasis, lists or links',
  near: 'texts with words that Markdown cannot show as they were',
}

/**
 * The stored form of a post's text, from its Markdown source where the dump has it, else from its HTML.
 * @param heading a line to put above the text
 */
export async function importedBody(
  html: string,
  source: string | null,
  tally: Tally,
  heading: string | null = null,
) {
  const { columns, fidelity, origin } = await postMarkdown(cleanText(html), source)
  tally.note(origin === 'source' ? 'texts taken from their Markdown source' : 'texts made of their HTML')
  tally.note(NOTES[fidelity])
  const isEmpty = showsNothing(columns.body_html)
  if (heading === null && !isEmpty) return { ...columns, is_imported: true }
  const above = heading === null ? '' : `**${literally(heading)}**\n\n`
  const [body] = await prepareMarkdown([`${above}${isEmpty ? NO_TEXT : columns.body}`])
  return { ...renderedBody(body), is_imported: true }
}
