import type { Change } from '../changes/change.ts'
import { enters, subjectsOf } from './concerns.ts'
import { Multimap } from './multimap.ts'
import type { Shown, ShownList, Subject } from './shown.ts'

/** Finds the pages that a change concerns without looking at all: by what they show, and by the lists on them. */
export class PageIndex {
  private readonly bySubject = new Multimap<string, string>()
  private readonly byScope = new Map<string, Map<string, readonly ShownList[]>>()

  add(key: string, shown: Shown): void {
    for (const subject of shown.subjects) this.bySubject.add(subject, key)
    for (const list of shown.lists) mapOf(this.byScope, scopeOf(list)).set(key, shown.lists)
  }

  /** For a page that shows something more. */
  addSubject(key: string, shown: Shown, subject: Subject): void {
    shown.add(subject)
    this.bySubject.add(subject, key)
  }

  remove(key: string, shown: Shown): void {
    for (const subject of shown.subjects) this.bySubject.delete(subject, key)
    for (const list of shown.lists) {
      const scope = scopeOf(list)
      const pages = this.byScope.get(scope)
      pages?.delete(key)
      if (pages?.size === 0) this.byScope.delete(scope)
    }
  }

  /** The keys of all pages that show something else after a change; null: whichever there are. */
  concernedBy(change: Change): Set<string> | null {
    const subjects = subjectsOf(change)
    if (subjects === null) return null
    const keys = new Set(subjects.flatMap((subject) => this.bySubject.get(subject)))
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
