import type { Random } from './random.ts'

const MAX_SHARE = 40

/**
 * Distributes `total` over `count` questions: many get none or a few, a few get very many.
 * @param none approximate share of those that get none, 0 to 1
 */
export function shareOut(total: number, count: number, none: number, random: Random): number[] {
  const shares = Array.from({ length: count }, () =>
    random.chance(none) ? 0 : Math.min(MAX_SHARE, Math.floor(random.heavy(1.4))),
  )
  let left = total - shares.reduce((sum, share) => sum + share, 0)
  while (left !== 0) {
    const at = random.below(count)
    const share = shares[at] ?? 0
    // Corrections mostly change larger shares, so that most zeros and ones stay.
    const isTaken = share > (left > 0 ? 0 : 1) || (share > 0 || left > 0 ? random.chance(0.02) : false)
    if (!isTaken) continue
    shares[at] = share + Math.sign(left)
    left -= Math.sign(left)
  }
  return shares
}
