import { LRUCache } from 'lru-cache'
import type { Change } from '../changes/change.ts'
import type { Asked } from './asked.ts'
import { mayBeLate } from './concerns.ts'
import type { Framed } from './framed.ts'
import { PageIndex } from './page-index.ts'
import type { Shown } from './shown.ts'

/** A page that is kept: what it was made from, what it depends on, and its size in bytes. */
export interface KeptPage {
  readonly asked: Asked
  readonly shown: Shown
  readonly size: number
}

/** What a page costs beside its body: headers, key, places in the indexes. */
const OVERHEAD = 3000
const PER_SUBJECT = 100
/** A page asked for so often lately, and since it was made, is worth making again before somebody asks. */
const WANTED = 3
/** Since when a page is old that is not to be sent any more. */
export const TOO_OLD = Number.NEGATIVE_INFINITY
/** For so long such a page is still sent as it was, in milliseconds: then whoever asks waits for the new one. */
export const LONGEST_OLD = 200

/** How a page came to be what it is. */
interface Origin {
  /** When its making was begun: it shows all that changed until then. */
  readonly begunAt: number
  /** From when LONGEST_OLD counts; null: it shows all that was heard so far. */
  readonly oldSince: number | null
  /** How many wait for it. */
  readonly asking: number
  readonly framed: Framed | null
}

interface Entry<Page> {
  readonly page: Page
  readonly begunAt: number
  /** What it can be made again by; null: as a whole only. */
  framed: Framed | null
  /** How often it was asked for; and how often its predecessors were, each counting half of the next. */
  uses: number
  readonly usesBefore: number
  /** Since when it may show something that is not so any more; null: it does not. */
  oldSince: number | null
}

/** A page that is still sent, though something on it changed, and when its making was begun. */
export interface OldPage {
  readonly asked: Asked
  readonly begunAt: number
}

/** Pages by key, the least asked for going first when they take more than so many bytes. */
export class KeptPages<Page extends KeptPage> {
  private readonly entries: LRUCache<string, Entry<Page>>
  private readonly index = new PageIndex()

  /** @param bytes that all pages together may take */
  constructor(bytes: number) {
    this.entries = new LRUCache({
      maxSize: bytes,
      sizeCalculation: ({ page: { size, shown }, framed }) =>
        size + (framed?.size ?? 0) + OVERHEAD + PER_SUBJECT * shown.subjects.size,
      dispose: ({ page }, key, reason) => {
        this.index.remove(key, page.shown)
        if (reason === 'delete') this.dropped += 1
        if (reason === 'evict') this.evicted += 1
      },
    })
  }

  get size(): number {
    return this.entries.size
  }

  /** Bytes taken. */
  get bytes(): number {
    return this.entries.calculatedSize
  }

  /** How many pages were made to be kept so far. */
  made = 0
  /** How often somebody who asked found one, and how often not. */
  hits = 0
  misses = 0
  /** How many went because something on them changed, and how many as there was no room. */
  dropped = 0
  evicted = 0

  /** A page for somebody who asks, which is counted. */
  find(key: string): Page | undefined {
    const page = this.get(key)
    if (page === undefined) this.misses += 1
    else this.hits += 1
    return page
  }

  get(key: string): Page | undefined {
    const entry = this.entries.get(key)
    if (entry === undefined) return undefined
    const { oldSince } = entry
    if (oldSince !== null && performance.now() - oldSince > LONGEST_OLD) return undefined
    entry.uses += 1
    return entry.page
  }

  /** Whether a page is asked for all the time. @param asking how many wait for it now */
  isWanted(key: string, asking: number): boolean {
    const { uses, usesBefore } = this.usesOf(key)
    return uses + asking > 0 && uses + asking + usesBefore >= WANTED
  }

  /** When the making of the page that is kept was begun; -Infinity: none is. */
  begunAt(key: string): number {
    return this.entries.peek(key)?.begunAt ?? Number.NEGATIVE_INFINITY
  }

  /** By what the page that is kept, or was until something on it changed, can be made again. */
  framed(key: string): Framed | null {
    return this.entries.peek(key)?.framed ?? null
  }

  keys(): string[] {
    return [...this.entries.keys()]
  }

  set(page: Page, { begunAt, oldSince, asking, framed }: Origin): void {
    const { key } = page.asked
    const { uses, usesBefore } = this.usesOf(key)
    const entry = { page, begunAt, framed, uses: asking, usesBefore: (uses + usesBefore) / 2, oldSince }
    this.entries.set(key, entry, { ttl: page.shown.freshFor, start: begunAt })
    if (this.entries.has(key)) this.index.add(key, page.shown)
  }

  /**
   * Drops each page that shows something else after this change, except where the change may be late: pages asked for all
   * the time are still sent for a moment while they are made anew, and of others stays what they can be made again by.
   * @returns those to be made anew
   */
  change(change: Change): OldPage[] {
    const keys = this.index.concernedBy(change)
    if (keys === null) this.clear()
    const mayStay = mayBeLate(change)
    return [...(keys ?? [])].flatMap((key) => {
      const entry = this.entries.peek(key)
      if (!mayStay || entry === undefined) {
        this.drop(key)
        return []
      }
      this.miss(key, entry, change)
      if (this.isWanted(key, 0)) {
        entry.oldSince ??= performance.now()
        return [{ asked: entry.page.asked, begunAt: entry.begunAt }]
      }
      if (entry.framed === null) this.drop(key)
      else entry.oldSince = TOO_OLD
      return []
    })
  }

  /** The question of a change may have come to the page by it, and the next change may take it away again. */
  private miss(key: string, entry: Entry<Page>, change: Change): void {
    if (entry.framed?.miss(change) !== true) entry.framed = null
    else if ('question' in change) this.index.addSubject(key, entry.page.shown, `question:${change.question}`)
  }

  private usesOf(key: string): Pick<Entry<Page>, 'uses' | 'usesBefore'> {
    return this.entries.peek(key) ?? { uses: 0, usesBefore: 0 }
  }

  drop(key: string): void {
    this.entries.delete(key)
  }

  /** Drops a page whose making was begun before this moment. */
  dropOlder(key: string, moment: number): void {
    if (this.begunAt(key) < moment) this.drop(key)
  }

  clear(): void {
    this.entries.clear()
  }
}
