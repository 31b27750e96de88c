import type { Change } from '../changes/change.ts'
import { enters, subjectsOf } from './concerns.ts'
import type { Shown, ShownList } from './shown.ts'

/** Finds the pages that a change concerns without looking at all: by what they show, and by the lists on them. */
export class PageIndex {
  /** Most subjects are on one page: its key alone takes a tenth of a set with it. */
  private readonly bySubject = new Map<string, string | Set<string>>()
  private readonly byScope = new Map<string, Map<string, readonly ShownList[]>>()

  add(key: string, shown: Shown): void {
    for (const subject of shown.subjects) this.addSubject(subject, key)
    for (const list of shown.lists) mapOf(this.byScope, scopeOf(list)).set(key, shown.lists)
  }

  remove(key: string, shown: Shown): void {
    for (const subject of shown.subjects) this.removeSubject(subject, key)
    for (const list of shown.lists) {
      const scope = scopeOf(list)
      const pages = this.byScope.get(scope)
      if (pages !== undefined) take(this.byScope, scope, pages, key)
    }
  }

  /** The keys of all pages that show something else after a change; null: whichever there are. */
  concernedBy(change: Change): Set<string> | null {
    const subjects = subjectsOf(change)
    if (subjects === null) return null
    const keys = new Set(subjects.flatMap((subject) => this.keysOf(subject)))
    if (!('question' in change)) return keys
    const { course, lecture, author, tags } = change
    const scopes = [
      'all',
      `course:${course}`,
      `lecture:${lecture}`,
      `author:${author}`,
      ...tags.map((id) => `tag:${id}`),
    ]
    for (const scope of scopes) {
      for (const [key, lists] of this.byScope.get(scope) ?? []) {
        if (!keys.has(key) && lists.some((list) => enters(change, list))) keys.add(key)
      }
    }
    return keys
  }

  private keysOf(subject: string): string[] {
    const keys = this.bySubject.get(subject) ?? []
    return typeof keys === 'string' ? [keys] : [...keys]
  }

  private addSubject(subject: string, key: string): void {
    const keys = this.bySubject.get(subject)
    if (keys === undefined || keys === key) this.bySubject.set(subject, key)
    else if (typeof keys === 'string') this.bySubject.set(subject, new Set([keys, key]))
    else keys.add(key)
  }

  private removeSubject(subject: string, key: string): void {
    const keys = this.bySubject.get(subject)
    if (keys === key) this.bySubject.delete(subject)
    else if (keys !== undefined && typeof keys !== 'string') take(this.bySubject, subject, keys, key)
  }
}

/** The narrowest scope of a list: every question in the list is in it. */
function scopeOf({ filter }: ShownList): string {
  if (filter.authorId !== null) return `author:${filter.authorId}`
  if (filter.lectureId !== null) return `lecture:${filter.lectureId}`
  if (filter.tagId !== null) return `tag:${filter.tagId}`
  return filter.courseId === null ? 'all' : `course:${filter.courseId}`
}

function mapOf<Value>(index: Map<string, Map<string, Value>>, name: string): Map<string, Value> {
  const known = index.get(name) ?? new Map<string, Value>()
  index.set(name, known)
  return known
}

/** Takes a key out of an entry of an index, and the entry once nothing is left in it. */
function take(
  index: Map<string, unknown>,
  name: string,
  entry: Set<string> | Map<string, unknown>,
  key: string,
): void {
  entry.delete(key)
  if (entry.size === 0) index.delete(name)
}
