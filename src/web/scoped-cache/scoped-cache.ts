import { LRUCache } from 'lru-cache'
import { type Scope, ScopeClock } from './scope-clock.ts'

interface Feed {
  /** false: changes are missed. */
  readonly isLive: boolean
  readonly clock: ScopeClock
}

export interface Loaded<Value> {
  readonly value: Value
  /** What the value depends on; null: not known, so that any change makes it stale. Such a value is not cached. */
  readonly scopes: readonly Scope[] | null
}

interface Entry<Value> {
  readonly value: Value
  readonly scopes: readonly Scope[]
  /** When it was last known to be current, by the feed's clock. */
  checkedAt: number
}

interface Load<Value> {
  readonly begunAt: number
  readonly result: Promise<Loaded<Value>>
}

export interface CacheOptions<Value> {
  /** In the unit of `sizeOf`. */
  readonly maxSize: number
  readonly sizeOf?: (value: Value) => number
  readonly maxAgeMs?: number
}

/** Beside the value: key, entry and scopes. In bytes, where sizes are bytes. */
const OVERHEAD_BYTES = 500
const SCOPE_BYTES = 40

const NO_FEED: Feed = { isLive: false, clock: new ScopeClock() }

/**
 * Caches what is read from the database until a change touches a scope that it depends on. Several requests for one key share
 * one load. Nothing is cached, and no load is shared, while the change feed is lost.
 */
export class ScopedCache<Value> {
  hits = 0
  misses = 0
  loaded = 0
  invalidated = 0
  evicted = 0
  private readonly feed: Feed
  private readonly entries: LRUCache<string, Entry<Value>>
  private readonly loads = new Map<string, Load<Value>>()

  /** @param feed null: no changes are announced, so that nothing is cached */
  constructor(feed: Feed | null, { maxSize, sizeOf, maxAgeMs = 0 }: CacheOptions<Value>) {
    this.feed = feed ?? NO_FEED
    this.entries = new LRUCache({
      maxSize,
      sizeCalculation: ({ value, scopes }) =>
        sizeOf === undefined ? 1 : sizeOf(value) + OVERHEAD_BYTES + SCOPE_BYTES * scopes.length,
      ttl: maxAgeMs,
      dispose: (_entry, _key, reason) => {
        if (reason === 'delete') this.invalidated += 1
        if (reason === 'evict') this.evicted += 1
      },
    })
  }

  /** Of what is current: all else is dropped. */
  keys(): string[] {
    return [...this.entries.keys()].filter((key) => this.current(key) !== undefined)
  }

  get size(): number {
    return this.keys().length
  }

  get bytes(): number {
    return this.entries.calculatedSize
  }

  /** Whether a request for this key starts no load. */
  has(key: string): boolean {
    return this.loads.has(key) || this.current(key) !== undefined
  }

  get(key: string): Value | undefined {
    const entry = this.currentOf(key, this.entries.get(key))
    if (entry !== undefined) this.hits += 1
    return entry?.value
  }

  /** The cached value, or what `load` reads; it shows each change that was heard before the call. Rejects as `load` does. */
  async find(key: string, load: () => Promise<Loaded<Value>>): Promise<Value> {
    const cached = this.get(key)
    if (cached !== undefined) return cached
    this.misses += 1
    if (!this.feed.isLive) return (await this.counted(load)).value
    const { clock } = this.feed
    const now = clock.now
    const { begunAt, result } = this.loads.get(key) ?? this.start(key, load)
    const { value, scopes } = await result
    // Read before a change that this request came after: it waits for the next load, with all others that do.
    const isCurrent = begunAt === now || (scopes !== null && clock.isCurrent(scopes, begunAt))
    return isCurrent ? value : this.find(key, load)
  }

  private start(key: string, load: () => Promise<Loaded<Value>>): Load<Value> {
    const started = { begunAt: this.feed.clock.now, result: this.counted(load) }
    this.loads.set(key, started)
    const end = () => this.loads.delete(key)
    started.result.then(({ value, scopes }) => {
      end()
      if (scopes === null) return
      const entry = { value, scopes, checkedAt: started.begunAt }
      if (this.isCurrent(entry)) this.entries.set(key, entry)
    }, end)
    return started
  }

  private async counted(load: () => Promise<Loaded<Value>>): Promise<Loaded<Value>> {
    const result = await load()
    this.loaded += 1
    return result
  }

  /** Leaves the order in which entries were used as it is. */
  private current(key: string): Entry<Value> | undefined {
    return this.currentOf(key, this.entries.peek(key))
  }

  private currentOf(key: string, entry: Entry<Value> | undefined): Entry<Value> | undefined {
    if (entry === undefined || this.isCurrent(entry)) return entry
    this.entries.delete(key)
    return undefined
  }

  private isCurrent(entry: Entry<Value>): boolean {
    const { clock } = this.feed
    if (entry.checkedAt === clock.now) return true
    if (!clock.isCurrent(entry.scopes, entry.checkedAt)) return false
    entry.checkedAt = clock.now
    return true
  }
}
