import { tagNameOf, typedTags } from './tag-name.ts'

/** From so many characters on, a text may be meant as a new tag; two of Korean, Japanese or Chinese are a word. */
const LONG = /^(?:.{3,}|.*[^ -~].*[^ -~].*)$/u

/** Tags that commas have closed, and what is still being typed behind the last comma. */
export function closedTags(typed: string): { readonly closed: string[]; readonly rest: string } {
  const [, before = '', rest = typed] = /^(.*[,，、])(.*)$/su.exec(typed) ?? []
  return { closed: typedTags(before), rest: rest.trimStart() }
}

/** Tags with some more behind them, as they are stored, each once. */
export function withTags(tags: readonly string[], typed: readonly string[]): string[] {
  return [...new Set([...tags, ...typed.map(tagNameOf)])].filter((tag) => tag !== '')
}

/**
 * Which suggestion Enter takes before any is chosen: the first that begins so. -1: none, because the text is a tag already, or long
 * enough to be meant as a new one ("api" beside "api-design").
 */
export function preselectedTag(typed: string, suggested: readonly string[]): number {
  const name = tagNameOf(typed)
  if (name === '' || LONG.test(name) || suggested.includes(name)) return -1
  return suggested.findIndex((tag) => tag.startsWith(name))
}
