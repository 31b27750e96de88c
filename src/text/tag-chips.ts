import { tagNameOf, typedTags } from './tag-name.ts'

/** Tags that commas have closed, and what is still being typed behind the last comma. */
export function closedTags(typed: string): { readonly closed: string[]; readonly rest: string } {
  const [, before = '', rest = typed] = /^(.*[,，、])(.*)$/su.exec(typed) ?? []
  return { closed: typedTags(before), rest: rest.trimStart() }
}

/** Tags with some more behind them, as they are stored, each once. */
export function withTags(tags: readonly string[], typed: readonly string[]): string[] {
  return [...new Set([...tags, ...typed.map(tagNameOf)])].filter((tag) => tag !== '')
}

/** Which suggestion Enter takes before any is chosen: the tag itself, else the first that begins so. -1: none. */
export function preselectedTag(typed: string, suggested: readonly string[]): number {
  const name = tagNameOf(typed)
  if (name === '') return -1
  const exact = suggested.indexOf(name)
  return exact >= 0 ? exact : suggested.findIndex((tag) => tag.startsWith(name))
}
