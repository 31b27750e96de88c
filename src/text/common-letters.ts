/**
 * The share of the longer text that both have in the same order, 0 to 1 (longest common subsequence; Wagner and Fischer, 1974): what
 * vectors of pieces don't tell. Time is the product of their lengths.
 */
export function commonInOrder(one: string, other: string): number {
  const longer = Math.max(one.length, other.length)
  if (longer === 0) return 0
  let common = new Uint16Array(other.length + 1)
  for (const letter of one) {
    const next = new Uint16Array(other.length + 1)
    for (let at = 0; at < other.length; at += 1)
      next[at + 1] =
        letter === other[at] ? (common[at] ?? 0) + 1 : Math.max(common[at + 1] ?? 0, next[at] ?? 0)
    common = next
  }
  return (common[other.length] ?? 0) / longer
}
