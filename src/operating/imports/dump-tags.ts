import { fold } from '../../text/fold.ts'
import { cleanLine } from './clean-text.ts'

const MAX_TAG_LENGTH = 32

/** Converts a dump's tags, `<java><c#>` or `|java|c#|`, to tags of the forum, without duplicates. */
export function tagsOf(text: string): string[] {
  const names = cleanLine(text)
    .split(/[<>|]+/)
    .map(tagName)
    .filter((name) => name !== '')
  return [...new Set(names)]
}

/** Lower case; each forbidden character becomes a hyphen; at most 32 characters. */
function tagName(name: string): string {
  const allowed = fold(name, 'same').replace(/[^\p{L}\p{M}\p{N}+#.-]+/gu, '-')
  return Array.from(allowed)
    .slice(0, MAX_TAG_LENGTH)
    .join('')
    .replace(/^-+|-+$/g, '')
}
