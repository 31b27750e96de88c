/**
 * Values by key, each once. Most keys have one value: by itself it takes a tenth of a set with it.
 */
export class Multimap<Key, Value extends string | number> {
  private readonly entries = new Map<Key, Value | Set<Value>>()

  add(key: Key, value: Value): void {
    const known = this.entries.get(key)
    if (known === undefined || known === value) this.entries.set(key, value)
    else if (known instanceof Set) known.add(value)
    else this.entries.set(key, new Set([known, value]))
  }

  delete(key: Key, value: Value): void {
    const known = this.entries.get(key)
    if (known instanceof Set) known.delete(value)
    if (known === value || (known instanceof Set && known.size === 0)) this.entries.delete(key)
  }

  /** The values of a key as they are now. */
  get(key: Key): Value[] {
    const known = this.entries.get(key)
    if (known === undefined) return []
    return known instanceof Set ? [...known] : [known]
  }
}
