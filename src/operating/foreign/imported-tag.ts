import { fold } from '../../text/words/fold.ts'

const MAX_TAG_LENGTH = 32

/** Lower case; each forbidden character becomes a hyphen; at most 32 characters. Empty: nothing of it is left. */
export function importedTag(name: string): string {
  const allowed = fold(name, 'same').replace(/[^\p{L}\p{M}\p{N}+#.-]+/gu, '-')
  return Array.from(allowed)
    .slice(0, MAX_TAG_LENGTH)
    .join('')
    .replace(/^-+|-+$/g, '')
}
