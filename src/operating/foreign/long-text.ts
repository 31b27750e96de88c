import { cleanText } from './clean-text.ts'

/** UTF-16 units, some times as many as a post here may have: reading markup takes longer than its length says. */
const MAX_MARKUP = 200_000

export const isTooLong = (text: string): boolean => text.length > MAX_MARKUP

/** A text as it is written, markup and all, as a block of code: nothing of it is read. */
export function verbatim(text: string): string {
  const clean = cleanText(text)
  const longest = Math.max(2, ...(clean.match(/`{3,1000}/g) ?? []).slice(0, 1000).map(({ length }) => length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${clean}\n${fence}`
}
