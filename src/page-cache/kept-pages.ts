import { LRUCache } from 'lru-cache'
import type { Change } from '../changes/change.ts'
import { enters, subjectsOf } from './concerns.ts'
import type { Shown, ShownList } from './shown.ts'

/** A page that is kept: what it depends on, and its size in bytes. */
export interface KeptPage {
  readonly shown: Shown
  readonly size: number
}

/** What a page costs beside its body: headers, key, places in the indexes. */
const OVERHEAD = 3000
const PER_SUBJECT = 100

/**
 * Pages by key, the least asked for going first when they take more than so many bytes. An index of subjects and one of
 * lists find those that a change concerns without looking at all.
 */
export class KeptPages<Page extends KeptPage> {
  private readonly pages: LRUCache<string, Page>
  private readonly bySubject = new Map<string, Set<string>>()
  private readonly byScope = new Map<string, Map<string, readonly ShownList[]>>()

  /** @param bytes that all pages together may take */
  constructor(bytes: number) {
    this.pages = new LRUCache({
      maxSize: bytes,
      sizeCalculation: ({ size, shown }) => size + OVERHEAD + PER_SUBJECT * shown.subjects.size,
      dispose: (page, key, reason) => {
        this.forget(key, page.shown)
        if (reason === 'delete') this.dropped += 1
        if (reason === 'evict') this.evicted += 1
      },
    })
  }

  get size(): number {
    return this.pages.size
  }

  /** Bytes taken. */
  get bytes(): number {
    return this.pages.calculatedSize
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
    const page = this.pages.get(key)
    if (page === undefined) this.misses += 1
    else this.hits += 1
    return page
  }

  get(key: string): Page | undefined {
    return this.pages.get(key)
  }

  keys(): string[] {
    return [...this.pages.keys()]
  }

  set(key: string, page: Page): void {
    this.pages.set(key, page, { ttl: page.shown.freshFor })
    if (!this.pages.has(key)) return
    for (const subject of page.shown.subjects) setOf(this.bySubject, subject).add(key)
    for (const list of page.shown.lists) mapOf(this.byScope, scopeOf(list)).set(key, page.shown.lists)
  }

  /** Drops each page that shows something else after this change. */
  drop(change: Change): void {
    const subjects = subjectsOf(change)
    if (subjects === null) this.clear()
    for (const subject of subjects ?? []) this.delete([...(this.bySubject.get(subject) ?? [])])
    if (!('question' in change)) return
    const { course, lecture, author, tags } = change
    const scopes = [
      'all',
      `course:${course}`,
      `lecture:${lecture}`,
      `author:${author}`,
      ...tags.map((id) => `tag:${id}`),
    ]
    for (const scope of scopes) {
      const keys: string[] = []
      for (const [key, lists] of this.byScope.get(scope) ?? []) {
        if (lists.some((list) => enters(change, list))) keys.push(key)
      }
      this.delete(keys)
    }
  }

  clear(): void {
    this.pages.clear()
  }

  private delete(keys: readonly string[]): void {
    for (const key of keys) this.pages.delete(key)
  }

  private forget(key: string, shown: Shown): void {
    for (const subject of shown.subjects) take(this.bySubject, subject, key)
    for (const list of shown.lists) take(this.byScope, scopeOf(list), key)
  }
}

/** The narrowest scope of a list: every question in the list is in it. */
function scopeOf({ filter }: ShownList): string {
  if (filter.authorId !== null) return `author:${filter.authorId}`
  if (filter.lectureId !== null) return `lecture:${filter.lectureId}`
  if (filter.tagId !== null) return `tag:${filter.tagId}`
  return filter.courseId === null ? 'all' : `course:${filter.courseId}`
}

function setOf(index: Map<string, Set<string>>, name: string): Set<string> {
  const known = index.get(name) ?? new Set()
  index.set(name, known)
  return known
}

function mapOf<Value>(index: Map<string, Map<string, Value>>, name: string): Map<string, Value> {
  const known = index.get(name) ?? new Map<string, Value>()
  index.set(name, known)
  return known
}

/** Takes a key out of an index, and its entry once nothing is left in it. */
function take(index: Map<string, Set<string> | Map<string, unknown>>, name: string, key: string): void {
  const known = index.get(name)
  known?.delete(key)
  if (known?.size === 0) index.delete(name)
}
