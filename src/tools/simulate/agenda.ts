/** What happens when: the earliest is next; of two at the same time the one that was entered first. */
export class Agenda<Event> {
  private readonly entries: { readonly at: number; readonly number: number; readonly event: Event }[] = []
  private entered = 0

  enter(at: number, event: Event): void {
    const entry = { at, number: this.entered, event }
    this.entered += 1
    let [low, high] = [0, this.entries.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      const other = this.entries[middle]
      // Latest first, so that the next one is taken from the end.
      if (other !== undefined && other.at > at) low = middle + 1
      else high = middle
    }
    this.entries.splice(low, 0, entry)
  }

  /** Takes out the next event before `end`; null: there is none. */
  next(end: number): { readonly at: number; readonly event: Event } | null {
    const last = this.entries.at(-1)
    if (last === undefined || last.at >= end) return null
    this.entries.pop()
    return last
  }
}
