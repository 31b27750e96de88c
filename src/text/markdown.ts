import MarkdownIt from 'markdown-it'
import { showCode } from './markdown/code.ts'
import { nestHeadings } from './markdown/headings.ts'
import { linkImages } from './markdown/images.ts'
import { allowLinks } from './markdown/links.ts'
import { boundNesting } from './markdown/nesting.ts'
import { boundPadding } from './markdown/padding.ts'
import { boundReferences } from './markdown/references.ts'
import { sanitize } from './markdown/sanitizer.ts'
import { showTables } from './markdown/tables.ts'
import { showTasks } from './markdown/tasks.ts'

/**
 * Which renderer made a stored HTML. Raise it with every change of what renderMarkdown gives for any source,
 * so that stored posts are found and rendered again.
 */
export const RENDERER_VERSION: number = 1

/** GitHub's Markdown without HTML: what looks like a tag is shown as it was typed. */
const markdown = new MarkdownIt({ html: false, linkify: true, typographer: false, breaks: false })
  .use(boundNesting)
  .use(boundPadding)
  .use(allowLinks)
  .use(showTasks)
  .use(boundReferences)
  .use(linkImages)
  .use(nestHeadings)
  .use(showTables)
  .use(showCode)

/**
 * HTML of a post, safe to put on any page: CommonMark with GitHub's tables, strikethrough, task lists and
 * literal links, through an allow-list. The same source gives the same HTML; no ids, no styles, no classes
 * but ours.
 * @param source normalized Markdown (characters.ts); time is linear in its length
 */
export function renderMarkdown(source: string): string {
  return sanitize(markdown.render(source))
}
