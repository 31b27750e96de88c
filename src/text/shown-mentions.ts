/** How a text is posted: `@[Name](person:12)` (src/text/mentions.ts). Here, `@Name` stands for it, with the person kept beside. */
const WRITTEN = /@\[([^[\]\n]{1,100})\]\(person:([1-9]\d{0,14})\)/g

/** A person who is meant in a shown text. */
export interface ShownMention {
  /** Where its `@` stands, in characters (UTF-16). */
  readonly at: number
  readonly name: string
  readonly personId: string
}

export interface ShownText {
  readonly text: string
  /** In the order of the text, apart from each other. */
  readonly mentions: readonly ShownMention[]
}

/** What is shown of a posted text. */
export function shownOf(posted: string): ShownText {
  const mentions: ShownMention[] = []
  let text = ''
  let end = 0
  for (const { 0: written, 1: name = '', 2: personId = '', index } of posted.matchAll(WRITTEN)) {
    text += posted.slice(end, index)
    mentions.push({ at: text.length, name, personId })
    text += `@${name}`
    end = index + written.length
  }
  return { text: text + posted.slice(end), mentions }
}

/** What is posted of a part of a shown text. */
export function postedOf({ text, mentions }: ShownText, from = 0, to = text.length): string {
  let posted = ''
  let end = from
  for (const mention of mentions) {
    if (mention.at < from || endOf(mention) > to) continue
    posted += `${text.slice(end, mention.at)}@[${mention.name}](person:${mention.personId})`
    end = endOf(mention)
  }
  return posted + text.slice(end, to)
}

/** Where the name of a mention ends. */
export function endOf({ at, name }: ShownMention): number {
  return at + 1 + name.length
}

/**
 * Mentions after an edit. What was changed ends at the cursor at the latest: this tells apart which of two same names was deleted.
 * A mention stays where its whole name does, also when marks were put around it; a name that was changed is plain text.
 * @param cursor end of the selection after the edit
 * @returns `lost`: those that are no longer meant, where they stood, and where the change is: undoing it brings them back
 */
export function editedMentions(before: ShownText, text: string, cursor: number) {
  const { start, oldEnd, newEnd } = changeOf(before.text, text, cursor)
  const mentions: ShownMention[] = []
  const lost: ShownMention[] = []
  let from = start
  for (const mention of before.mentions) {
    const { at, name } = mention
    if (endOf(mention) <= start) mentions.push(mention)
    else if (at >= oldEnd) mentions.push({ ...mention, at: at + newEnd - oldEnd })
    else {
      const isWhole = at >= start && endOf(mention) <= oldEnd
      const found = isWhole ? text.slice(0, newEnd).indexOf(`@${name}`, from) : -1
      if (found < 0) lost.push(mention)
      else {
        mentions.push({ ...mention, at: found })
        from = found + 1 + name.length
      }
    }
  }
  return { mentions, lost, start, end: newEnd }
}

/** Mentions that an undo or a redo has brought back: those that were lost where it changed the text, the last lost first. */
export function regainedMentions(
  { text, mentions }: ShownText,
  lost: readonly ShownMention[],
  { start, end }: { readonly start: number; readonly end: number },
): ShownMention[] {
  const regained = [...mentions]
  for (const mention of lost.toReversed()) {
    const isThere = text.startsWith(`@${mention.name}`, mention.at)
    const isTouched = mention.at < end && endOf(mention) > start
    const isFree = regained.every((other) => other.at >= endOf(mention) || endOf(other) <= mention.at)
    if (isThere && isTouched && isFree) regained.push(mention)
  }
  return regained.sort((one, other) => one.at - other.at)
}

/** The part of a text that an edit replaced: what is the same before and behind it is left out. */
function changeOf(old: string, text: string, cursor: number) {
  const most = Math.min(old.length, text.length)
  let suffix = 0
  while (suffix < Math.min(most, text.length - cursor) && old.at(-1 - suffix) === text.at(-1 - suffix))
    suffix += 1
  let start = 0
  while (start < most - suffix && old[start] === text[start]) start += 1
  return { start, oldEnd: old.length - suffix, newEnd: text.length - suffix }
}
