import type { MarkdownIt, StateInline } from 'markdown-it'
import { BEFORE } from './mentions.ts'

/** Numbers of one post that are links; more are text: each becomes a title where the post is read. */
const MAX_LINKS = 50

const NUMBER = /#([1-9]\d{0,8})(?![\w/-]|\.\w)/y

/** `#123` is a link to that question of the forum; pages that show it say its title (forum/questions/question-links.ts). */
export function linkQuestionNumbers(markdown: MarkdownIt): void {
  markdown.inline.ruler.before('emphasis', 'question', (state: StateInline, silent: boolean) => {
    if (state.src[state.pos] !== '#' || state.linkLevel > 0) return false
    if (state.pos > 0 && !BEFORE.test(state.src[state.pos - 1] ?? '')) return false
    NUMBER.lastIndex = state.pos
    const [words = '', id] = NUMBER.exec(state.src) ?? []
    if (id === undefined || state.pos + words.length > state.posMax) return false
    const links = Number(state.env.questionLinks ?? 0)
    if (links >= MAX_LINKS) return false
    if (!silent) {
      state.env.questionLinks = links + 1
      state.push('link_open', 'a', 1).attrs = [['href', `/questions/${id}`]]
      state.push('text', '', 0).content = words
      state.push('link_close', 'a', -1)
    }
    state.pos += words.length
    return true
  })
}
