import { WRITTEN } from './markdown/mentions.ts'

/** How the renderer shows one: the name as typed, until a page that knows who is meant says it (showMentions). */
const RENDERED = /<span class="mention" data-person="([1-9]\d{0,14})">@([^<]*)<\/span>/g

/** How the renderer shows a call of the staff. */
const CALL = '<span class="mention">'

/** The end of each mention, whatever Markdown makes of the name before it: a table takes the backslashes from its `\|`. */
const WRITTEN_END = /\]\(person:([1-9]\d{0,14})\)/g

/** How many people a source may mention at most: those in its code count here too. */
export function countWritten(source: string): number {
  return new Set(Array.from(source.matchAll(WRITTEN_END), ([, id]) => id)).size
}

/** The ids of those whom a post mentions, each once. @param html from prepareMarkdown */
export function mentionedIn(html: string): number[] {
  return [...new Set(Array.from(html.matchAll(RENDERED), ([, id]) => Number(id)))]
}

/** Whether a post calls the staff: `@staff`. @param html from prepareMarkdown */
export function callsStaff(html: string): boolean {
  return html.includes(CALL)
}

/**
 * Replaces each mention of a post.
 * @param html from prepareMarkdown
 * @param shown what stands in its place, as HTML; it is given the name as it was typed, as HTML
 */
export function showMentions(html: string, shown: (personId: number, typed: string) => string): string {
  return html.replace(RENDERED, (_mention, id: string, typed: string) => shown(Number(id), typed))
}

/** A post with the names as they were typed: where nobody knows whom it may mention. @param html from prepareMarkdown */
export function withTypedNames(html: string): string {
  return showMentions(html, (_id, typed) => `@${typed}`)
}

/** The source of a text with the names alone: `@Name`. */
export function mentionsAsNames(source: string): string {
  return source.replace(WRITTEN, (_mention, name: string) => `@${name}`)
}

/** The source of a text with another name for everyone it mentions, and nothing that leads to them. */
export function renamedMentions(source: string, nameOf: (personId: number) => string): string {
  return source.replace(WRITTEN, (_mention, _name: string, id: string) => `@${nameOf(Number(id))}`)
}

/** The source of a text with another name for one person, wherever it mentions them. */
export function renamedIn(source: string, personId: number, name: string): string {
  const safe = name.replace(/[[\]\n]/g, '') || '-'
  return source.replace(WRITTEN, (mention, _name, id: string) =>
    Number(id) === personId ? `@[${safe}](person:${id})` : mention,
  )
}

/** The source of a text in which a name, no mention, stands wherever it mentions one person. */
export function withoutMention(source: string, personId: number, name: string): string {
  return source.replace(WRITTEN, (mention, _name, id: string) =>
    Number(id) === personId ? `@${name}` : mention,
  )
}
