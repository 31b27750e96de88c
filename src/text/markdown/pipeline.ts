import MarkdownIt from 'markdown-it'
import cjkFriendly from 'markdown-it-cjk-friendly'
import { nestHeadings, showTables, showTasks } from './blocks.ts'
import { boundMarks, boundNesting, boundPadding, boundReferences } from './bounds.ts'
import { showCode } from './code.ts'
import { showFormulas } from './formulas.ts'
import { linkImages } from './images.ts'
import { allowLinks } from './links.ts'
import { showMentioned } from './mentions.ts'
import { linkQuestionNumbers } from './question-numbers.ts'
import { sanitize } from './sanitizer.ts'

/** GitHub's Markdown without HTML: tags are shown as typed. */
const markdown = new MarkdownIt({ html: false, linkify: true, typographer: false, breaks: false })
  // Emphasis ends before a Korean particle, too: **강조(괄호)**를.
  .use(cjkFriendly)
  .use(boundNesting)
  .use(boundPadding)
  .use(allowLinks)
  .use(showTasks)
  .use(boundReferences)
  .use(linkImages)
  .use(nestHeadings)
  .use(showTables)
  .use(showCode)
  .use(showFormulas)
  .use(linkQuestionNumbers)
  .use(showMentioned)

/** @param source normalized Markdown. @returns HTML of the allow-list */
export function render(source: string): string {
  return sanitize(markdown.render(boundMarks(source)))
}
