import { cleanLine } from './clean-text.ts'

const LONGEST_TAG = 32

/** Tags as a dump writes them, `<java><c#>` or `|java|c#|`, as the forum takes them; all are kept, each once. */
export function tagsOf(text: string): string[] {
  const names = cleanLine(text)
    .split(/[<>|]+/)
    .map(tagName)
    .filter((name) => name !== '')
  return [...new Set(names)]
}

/** Small letters; what a tag may not hold becomes a hyphen; 32 characters at the most. */
function tagName(name: string): string {
  const allowed = name
    .toLowerCase()
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N}+#.-]+/gu, '-')
  return Array.from(allowed)
    .slice(0, LONGEST_TAG)
    .join('')
    .replace(/^-+|-+$/g, '')
}
