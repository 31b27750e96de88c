import { renderedBody } from '../questions/post-text.ts'
import { literally } from './literally.ts'
import { postMarkdown } from './post-markdown.ts'
import type { Tally } from './tally.ts'

/** What stands where a post has no text at all: its answers and replies are worth keeping. */
const NO_TEXT = '(no text)'

/**
 * A post's text for the database, made of its Markdown source where the dump has it, else of its HTML.
 * @param heading a line that is put above it
 */
export function importedBody(
  html: string,
  source: string | null,
  tally: Tally,
  heading: string | null = null,
) {
  const { markdown, origin, isExact } = postMarkdown(html, source)
  tally.note(origin === 'source' ? 'text taken from its Markdown source' : 'text made of its HTML')
  if (!isExact) tally.note('text not shown exactly as it was there')
  if (markdown === '') tally.note('post without text')
  const above = heading === null ? '' : `**${literally(heading)}**\n\n`
  return { ...renderedBody(`${above}${markdown || NO_TEXT}`), is_imported: true }
}
