/** A request for a part of a limited resource, for a while. */
export interface Wish {
  /** How much it takes, in the unit of `Bounds.room`. */
  readonly size: number
  /** Names that it counts for, such as a person and their network, and how many each may hold at a time. */
  readonly counts?: readonly { readonly name: string; readonly most: number }[]
  /** Ends the waiting. */
  readonly signal?: AbortSignal
}

export interface Bounds {
  readonly room: number
  /** How many may wait, in all and for one name. */
  readonly waiting: number
  readonly waitingOfName: number
  /** Milliseconds. */
  readonly patience: number
}

/** Too many wait, or the wait took longer than `patience`. */
export class NoTurn extends Error {}

interface Waiting extends Wish {
  readonly begin: (isTaken: boolean) => void
}

/**
 * Shares a limited resource, such as memory, in the order of requests. One whose name already holds all it
 * may is passed over; a large one is not, so that small ones can't keep it waiting for ever.
 */
export class Turns {
  private readonly bounds: Bounds
  private left: number
  private readonly taken = new Map<string, number>()
  private readonly waiting = new Set<Waiting>()

  constructor(bounds: Bounds) {
    this.bounds = bounds
    this.left = bounds.room
  }

  /** @returns a function that gives it back; further calls do nothing. @throws NoTurn */
  async take(wish: Wish): Promise<() => void> {
    const { size, counts = [], signal } = wish
    if (size > this.bounds.room) throw new NoTurn('it is larger than the room')
    if (!this.isFull(counts)) {
      const isTaken = await this.wait({ size, counts, ...(signal && { signal }) })
      if (isTaken) return this.giveBack({ size, counts })
    }
    throw new NoTurn('too many wait')
  }

  private isFull(counts: NonNullable<Wish['counts']>): boolean {
    if (this.waiting.size >= this.bounds.waiting) return true
    const waitOf = (name: string) =>
      [...this.waiting].filter((one) => one.counts?.some((count) => count.name === name)).length
    return counts.some(({ name }) => waitOf(name) >= this.bounds.waitingOfName)
  }

  private wait(wish: Wish): Promise<boolean> {
    return new Promise((resolve) => {
      const end = () => waiting.begin(false)
      const timer = setTimeout(end, this.bounds.patience).unref()
      wish.signal?.addEventListener('abort', end)
      const waiting: Waiting = {
        ...wish,
        begin: (isTaken) => {
          clearTimeout(timer)
          wish.signal?.removeEventListener('abort', end)
          this.waiting.delete(waiting)
          resolve(isTaken)
          // Who waited behind it may have room now.
          if (!isTaken) this.next()
        },
      }
      this.waiting.add(waiting)
      if (wish.signal?.aborted === true) end()
      else this.next()
    })
  }

  private next(): void {
    for (const wish of this.waiting) {
      const { size, counts = [] } = wish
      if (counts.some(({ name, most }) => (this.taken.get(name) ?? 0) >= most)) continue
      if (size > this.left) return
      this.count({ size, counts }, 1)
      wish.begin(true)
    }
  }

  private giveBack(wish: Wish): () => void {
    let isGiven = false
    return () => {
      if (isGiven) return
      isGiven = true
      this.count(wish, -1)
      this.next()
    }
  }

  private count({ size, counts = [] }: Wish, change: 1 | -1): void {
    this.left -= change * size
    for (const { name } of counts) {
      const taken = (this.taken.get(name) ?? 0) + change
      if (taken === 0) this.taken.delete(name)
      else this.taken.set(name, taken)
    }
  }
}
