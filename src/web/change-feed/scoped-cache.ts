import { LRUCache } from 'lru-cache'
import { type Change, type Scope, touches, touchesEverything } from './change.ts'
import type { ChangeFeed } from './change-feed.ts'

type Feed = Pick<ChangeFeed, 'isLive' | 'listen'>

/** What a load gives. */
export interface Loaded<Value> {
  readonly value: Value
  /** What the value depends on; null: not known, so that any change makes it stale. Such a value is not cached. */
  readonly scopes: ReadonlySet<Scope> | null
  /** false: the value is for those who wait for it now only. */
  readonly isCacheable?: boolean
}

interface Entry<Value> {
  readonly value: Value
  readonly scopes: ReadonlySet<Scope>
}

/** A load in progress. */
interface Load<Value> {
  readonly result: Promise<Loaded<Value>>
  /** Heard since it began: what is read may be older. */
  readonly changes: Change[]
}

export interface CacheOptions<Value> {
  /** In the unit of `sizeOf`. */
  readonly maxSize: number
  readonly sizeOf?: (value: Value) => number
  readonly maxAgeMs?: number
}

/** Beside the value: key, entry, and its places in the index by scope. In bytes, where sizes are bytes. */
const OVERHEAD_BYTES = 1000
const SCOPE_BYTES = 100

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
  private readonly feed: Feed | null
  private readonly entries: LRUCache<string, Entry<Value>>
  private readonly keysByScope = new Map<string, Set<string>>()
  private readonly loads = new Map<string, Load<Value>>()

  /** @param feed null: no changes are announced, so that nothing is cached */
  constructor(feed: Feed | null, { maxSize, sizeOf, maxAgeMs = 0 }: CacheOptions<Value>) {
    this.feed = feed
    this.entries = new LRUCache({
      maxSize,
      sizeCalculation: ({ value, scopes }) =>
        sizeOf === undefined ? 1 : sizeOf(value) + OVERHEAD_BYTES + SCOPE_BYTES * scopes.size,
      ttl: maxAgeMs,
      dispose: ({ scopes }, key, reason) => {
        this.removeFromIndex(key, scopes)
        if (reason === 'delete') this.invalidated += 1
        if (reason === 'evict') this.evicted += 1
      },
    })
    feed?.listen({ changed: (change) => this.invalidate(change), lost: () => this.clear() })
  }

  get size(): number {
    return this.entries.size
  }

  get bytes(): number {
    return this.entries.calculatedSize
  }

  keys(): string[] {
    return [...this.entries.keys()]
  }

  /** Whether a request for this key starts no load. */
  has(key: string): boolean {
    return this.entries.has(key) || this.loads.has(key)
  }

  get(key: string): Value | undefined {
    const entry = this.entries.get(key)
    if (entry !== undefined) this.hits += 1
    return entry?.value
  }

  /** The cached value, or what `load` reads; it shows each change that was heard before the call. Rejects as `load` does. */
  async find(key: string, load: () => Promise<Loaded<Value>>): Promise<Value> {
    const cached = this.get(key)
    if (cached !== undefined) return cached
    this.misses += 1
    return this.loadOrJoin(key, load)
  }

  private async loadOrJoin(key: string, load: () => Promise<Loaded<Value>>): Promise<Value> {
    if (this.feed?.isLive !== true) return (await this.counted(load)).value
    const joined = this.loads.get(key) ?? this.start(key, load)
    const heardBefore = joined.changes.length
    const { value, scopes } = await joined.result
    const mayMiss = joined.changes.slice(0, heardBefore)
    // Read before a change that this request came after: it waits for the next load, with all others that do.
    if (!mayMiss.some((change) => touches(change, scopes))) return value
    return this.entries.get(key)?.value ?? this.loadOrJoin(key, load)
  }

  private start(key: string, load: () => Promise<Loaded<Value>>): Load<Value> {
    const changes: Change[] = []
    const result = this.counted(load)
    const started = { result, changes }
    this.loads.set(key, started)
    const end = () => {
      const isCurrent = this.loads.get(key) === started
      if (isCurrent) this.loads.delete(key)
      return isCurrent
    }
    result.then((loaded) => {
      // After the feed was lost, changes since the load began are not known.
      if (end()) this.store(key, loaded, changes)
    }, end)
    return started
  }

  private async counted(load: () => Promise<Loaded<Value>>): Promise<Loaded<Value>> {
    const result = await load()
    this.loaded += 1
    return result
  }

  private store(
    key: string,
    { value, scopes, isCacheable }: Loaded<Value>,
    changes: readonly Change[],
  ): void {
    if (scopes === null || isCacheable === false) return
    if (changes.some((change) => touches(change, scopes))) return
    this.entries.set(key, { value, scopes })
    if (!this.entries.has(key)) return
    for (const scope of scopes) {
      const keys = this.keysByScope.get(scope) ?? new Set()
      this.keysByScope.set(scope, keys.add(key))
    }
  }

  private invalidate(change: Change): void {
    for (const { changes } of this.loads.values()) changes.push(change)
    if (touchesEverything(change)) this.entries.clear()
    for (const scope of change.scopes)
      for (const key of this.keysByScope.get(scope) ?? []) this.entries.delete(key)
  }

  private clear(): void {
    this.entries.clear()
    this.loads.clear()
  }

  private removeFromIndex(key: string, scopes: ReadonlySet<Scope>): void {
    for (const scope of scopes) {
      const keys = this.keysByScope.get(scope)
      keys?.delete(key)
      if (keys?.size === 0) this.keysByScope.delete(scope)
    }
  }
}
