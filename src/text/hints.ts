import { looksLikeCode } from './code-like.ts'

/** What would make a question easier to answer. None of it keeps it from being posted. */
export const HINTS = ['title', 'short', 'code', 'picture'] as const
export type Hint = (typeof HINTS)[number]

/** Shorter texts say too little: letters, of which a Korean syllable has two. */
const SHORT = 40

const FENCED = /^ {0,3}(```|~~~)[^\n]*\n[\s\S]*?(?:\n {0,3}\1[^\n]*|$(?![\s\S]))/gm
const PICTURE = /!\[[^\]\n]{0,300}\]\([^)\s]{1,300}\)/g
const ERROR = /error|exception|traceback|stack ?trace|fail|오류|에러|예외|실패/i

/** What could be better about a question being written. The text of its course's template doesn't count. */
export function hintsFor(draft: {
  readonly title: string
  readonly body: string
  readonly template: string
}): Hint[] {
  const title = draft.title.trim()
  const body = withoutLines(draft.body, draft.template)
  const prose = body.replace(FENCED, '\n')
  const words = prose.replace(PICTURE, ' ')
  const isBegun = body.trim() !== ''
  const hasCode = prose !== body || /`[^`\n]+`/.test(prose)
  const found: Record<Hint, boolean> = {
    title: title !== '' && !/\s/.test(title),
    short: isBegun && !hasCode && lettersOf(words) < SHORT,
    code: prose.split(/\n\s*\n/).some((part) => !isIndented(part) && looksLikeCode(part)),
    picture: words !== prose && !hasCode && (ERROR.test(`${title} ${words}`) || lettersOf(words) < SHORT),
  }
  return HINTS.filter((hint) => found[hint])
}

/** A text without the lines of another one: headings to write under. */
function withoutLines(text: string, template: string): string {
  const lines = new Set(template.split('\n').map((line) => line.trim()))
  return text
    .split('\n')
    .filter((line) => line.trim() === '' || !lines.has(line.trim()))
    .join('\n')
}

/** A block of code already: Markdown shows lines that begin with four spaces so. */
function isIndented(part: string): boolean {
  return part.split('\n').every((line) => line.trim() === '' || /^(?: {4}|\t)/.test(line))
}

function lettersOf(text: string): number {
  let letters = 0
  for (const letter of text)
    if (/[\p{L}\p{N}]/u.test(letter)) letters += /\p{Script=Hangul}/u.test(letter) ? 2 : 1
  return letters
}
