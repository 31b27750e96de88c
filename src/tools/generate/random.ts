/** A seeded pseudo-random generator, the same on every machine (sfc32, from PractRand). */
export class Random {
  private a: number
  private b: number
  private c: number
  private counter = 1

  /** @param stream separates parts of one seed's work: each has its own sequence, whatever the order of generation */
  constructor(seed: number, stream = 0) {
    this.a = seed | 0
    this.b = Math.floor(seed / 2 ** 32) | 0
    this.c = stream | 0
    for (let warmUp = 0; warmUp < 15; warmUp += 1) this.next()
  }

  /** From 0 to below 1. */
  next(): number {
    const sum = (this.a + this.b + this.counter) | 0
    this.counter = (this.counter + 1) | 0
    this.a = this.b ^ (this.b >>> 9)
    this.b = (this.c + (this.c << 3)) | 0
    this.c = (((this.c << 21) | (this.c >>> 11)) + sum) | 0
    return (sum >>> 0) / 2 ** 32
  }

  /** An integer from 0 to below `bound`. */
  below(bound: number): number {
    return Math.floor(this.next() * bound)
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.below(items.length)]
    if (item === undefined) throw new Error('nothing to pick from')
    return item
  }

  /** At least 1, mostly close to it, sometimes far above: a smaller `shape` has a heavier tail (Pareto). */
  heavy(shape: number): number {
    return (1 - this.next()) ** (-1 / shape)
  }
}
