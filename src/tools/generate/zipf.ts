import type { Random } from './random.ts'

/**
 * Draws ranks by Zipf's law: rank r (from 0) has the weight 1 / (r + shift) ** exponent. Each draw takes constant time
 * (Walker's alias method, 1977).
 */
export class Zipf {
  private readonly share: Float64Array
  private readonly other: Uint32Array

  constructor(count: number, exponent = 1, shift = 2) {
    const weights = Float64Array.from({ length: count }, (_, rank) => (rank + shift) ** -exponent)
    const mean = weights.reduce((sum, weight) => sum + weight, 0) / count
    this.share = weights.map((weight) => weight / mean)
    this.other = new Uint32Array(count)
    this.pair()
  }

  draw(random: Random): number {
    const at = random.next() * this.share.length
    const rank = Math.floor(at)
    return at - rank < (this.share[rank] ?? 1) ? rank : (this.other[rank] ?? rank)
  }

  /** Fills the remainder of each rare rank's equal share with a frequent rank. */
  private pair(): void {
    const common: number[] = []
    const rare: number[] = []
    for (const [rank, share] of this.share.entries()) (share < 1 ? rare : common).push(rank)
    for (
      let low = rare.pop(), high = common.pop();
      low !== undefined && high !== undefined;
      low = rare.pop()
    ) {
      this.other[low] = high
      const left = (this.share[high] ?? 1) - 1 + (this.share[low] ?? 1)
      this.share[high] = left
      if (left < 1) {
        rare.push(high)
        high = common.pop()
      }
    }
  }
}
