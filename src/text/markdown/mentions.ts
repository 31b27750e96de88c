import type { MarkdownIt, StateInline } from 'markdown-it'

/** What may stand before `@staff`, names and `#12`: no letter, digit, dot or slash (addresses, `C#7`). */
export const BEFORE = /[\s([{"'“‘「『,:;>—–-]/
/** Korean words may go on with a particle. */
const STAFF = /@(?:staff(?![\w-]|\.\w)|강사진|운영진)/iy

/**
 * `@[Name](person:12)` mentions somebody, `@staff` the staff of the course. The name is shown as typed; pages that know whom the
 * post mentions make it a link with today's name (forum/mentions/show.ts).
 */
export function showMentioned(markdown: MarkdownIt): void {
  markdown.inline.ruler.before('emphasis', 'mention', (state: StateInline, silent: boolean) => {
    if (state.src[state.pos] !== '@') return false
    const mention = mentionAt(state.src, state.pos)
    const call = mention === null ? callAt(state) : null
    const length = mention?.length ?? call?.length ?? 0
    if (length === 0 || state.pos + length > state.posMax) return false
    if (!silent) push(state, mention === null ? (call ?? '') : `@${mention.name}`, mention?.personId ?? null)
    state.pos += length
    return true
  })
}

function callAt({ src, pos }: StateInline): string | null {
  if (pos > 0 && !BEFORE.test(src[pos - 1] ?? '')) return null
  STAFF.lastIndex = pos
  return STAFF.exec(src)?.[0] ?? null
}

/** Inside of a link there is no other one: the words alone stand there. */
function push(state: StateInline, words: string, personId: number | null): void {
  const isInLink = state.linkLevel > 0
  if (!isInLink)
    state.push('mention_open', 'span', 1).attrs = [
      ['class', 'mention'],
      ...(personId === null ? [] : [['data-person', String(personId)] as [string, string]]),
    ]
  // A name may look like an address, which would become a link.
  const text = state.push('text_special', '', 0)
  text.content = words
  text.markup = words
  text.info = 'mention'
  if (!isInLink) state.push('mention_close', 'span', -1)
}

/** `@[Name](person:12)`, as the editor writes it. No part matches what the next does: it never backtracks. */
export const WRITTEN = /@\[([^[\]\n]{1,100})\]\(person:([1-9]\d{0,14})\)/g
const WRITTEN_HERE = new RegExp(WRITTEN, 'y')

/** The mention that begins at a position of a source, and how many characters (UTF-16) it takes; null: none does. */
function mentionAt(source: string, position: number) {
  WRITTEN_HERE.lastIndex = position
  const [words, name, id] = WRITTEN_HERE.exec(source) ?? []
  if (words === undefined || name === undefined) return null
  return { personId: Number(id), name, length: words.length }
}
