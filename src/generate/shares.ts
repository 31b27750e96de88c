import type { Random } from './random.ts'

const MOST = 40

/**
 * Shares `total` out among `count` questions: nothing for some, little for most, very much for a few.
 * @param none about which share of them gets nothing, 0 to 1
 */
export function shareOut(total: number, count: number, none: number, random: Random): number[] {
  const shares = Array.from({ length: count }, () =>
    random.chance(none) ? 0 : Math.min(MOST, Math.floor(random.heavy(1.4))),
  )
  let left = total - shares.reduce((sum, share) => sum + share, 0)
  while (left !== 0) {
    const at = random.below(count)
    const share = shares[at] ?? 0
    // Those with nothing mostly keep it, and those with one keep that, as long as there are others.
    const isTaken = share > (left > 0 ? 0 : 1) || (share > 0 || left > 0 ? random.chance(0.02) : false)
    if (!isTaken) continue
    shares[at] = share + Math.sign(left)
    left -= Math.sign(left)
  }
  return shares
}
