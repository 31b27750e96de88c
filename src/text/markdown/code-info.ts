import { isLanguage } from './highlighter.ts'

/** What the first line of a fence asks for: ```java numbers {3,5-7}. */
export interface CodeInfo {
  /** Empty when none is given. */
  readonly language: string
  readonly isNumbered: boolean
  /** Lines to mark, from 1; those that the block does not have are ignored. */
  readonly marked: readonly Range[]
}

interface Range {
  readonly from: number
  readonly to: number
}

const NUMBERED = /(?:^|\s)(?:numbers|line-?numbers|linenos|showlinenumbers)(?=\s|\{|$)/i
const MARKED = /\{([\d\s,-]{1,200})\}/
const RANGE = /(\d{1,5})(?:\s*-\s*(\d{1,5}))?/g

export function readCodeInfo(info: string): CodeInfo {
  const [, list = ''] = MARKED.exec(info) ?? []
  const isNumbered = NUMBERED.test(info)
  const [first = ''] = info.trim().split(/[\s,:{]/, 1)
  return {
    language: isNumbered && NUMBERED.test(first) ? '' : first,
    isNumbered,
    marked: Array.from(list.matchAll(RANGE), ([, from = '', to = from]) => ({
      from: Number(from),
      to: Number(to),
    })),
  }
}

/**
 * Whether what is behind the opening of a fence is the first line of the code, as in "```int first = 1;": words that say no language
 * we know and no option.
 */
export function isCode(info: string): boolean {
  const { language } = readCodeInfo(info)
  const isOption = language === '' && (NUMBERED.test(info) || MARKED.test(info))
  return /\S\s+\S/.test(info) && /[;(=]/.test(info) && !isOption && !isLanguage(language)
}

/** Whether a line is marked. */
export function isMarked({ marked }: CodeInfo, line: number): boolean {
  return marked.some(({ from, to }) => from <= line && line <= to)
}
