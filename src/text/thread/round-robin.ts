/** Those who wait take turns: who has much waiting is served one piece, then everybody else one. */
export class RoundRobin<Item> {
  /** Who was served last comes last. */
  private readonly waiting = new Map<string, Item[]>()

  add(item: Item, of: string): void {
    const own = this.waiting.get(of)
    if (own === undefined) this.waiting.set(of, [item])
    else own.push(item)
  }

  take(): Item | undefined {
    for (const [of, items] of this.waiting) {
      const item = items.shift()
      this.waiting.delete(of)
      if (items.length > 0) this.waiting.set(of, items)
      return item
    }
    return undefined
  }
}
