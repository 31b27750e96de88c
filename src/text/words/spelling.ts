const LETTERS = [...'abcdefghijklmnopqrstuvwxyz0123456789-']

/**
 * Candidates for the correction of a word: one letter deleted, two neighbours swapped, one letter replaced,
 * or one inserted; and the word itself. About 75 per letter; letters outside Latin are only deleted and
 * swapped.
 * @param isReplaced false: without those that have another letter in the place of one
 */
export function editsOf(word: string, isReplaced = true): string[] {
  const letters = [...word]
  const edits = new Set([word])
  for (let at = 0; at <= letters.length; at += 1) {
    const before = letters.slice(0, at).join('')
    const [here = '', next = '', ...rest] = letters.slice(at)
    const after = [next, ...rest].join('')
    edits.add(before + after)
    edits.add(before + next + here + rest.join(''))
    for (const letter of LETTERS) {
      edits.add(before + letter + here + after)
      if (isReplaced && here !== '') edits.add(before + letter + after)
    }
  }
  return [...edits]
}

/** Edit distance with swaps of neighbours (optimal string alignment). Quadratic: for words only. */
export function distanceOf(one: string, other: string): number {
  const [first, second] = [[...one], [...other]]
  let beforeLast: number[] = []
  let last = second.map((_, index) => index)
  last.push(second.length)
  for (const [row, letter] of first.entries()) {
    const current = [row + 1]
    for (const [column, against] of second.entries()) {
      const replaced = (last[column] ?? 0) + (letter === against ? 0 : 1)
      const isSwapped = row > 0 && column > 0 && letter === second[column - 1] && first[row - 1] === against
      const swapped = isSwapped ? (beforeLast[column - 1] ?? 0) + 1 : replaced
      current.push(Math.min(replaced, swapped, (last[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1))
    }
    beforeLast = last
    last = current
  }
  return last.at(-1) ?? 0
}
