/** Two letters for the avatar: of the first and the last word, or the first two of a single one. */
export function initialsOf(name: string): string {
  const words = name.split(/\s+/u).filter((word) => /\p{L}|\p{N}/u.test(word))
  const first = [...(words[0] ?? name)]
  const last = words.length > 1 ? [...(words.at(-1) ?? '')] : first.slice(1)
  return `${first[0] ?? ''}${last[0] ?? ''}`.toUpperCase()
}
