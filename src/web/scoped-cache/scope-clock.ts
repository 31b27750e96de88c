/** Beyond as many scopes it forgets them, and all that was read before counts as stale. */
const MAX_SCOPES = 20_000

/** Counts changes and knows the last one of each scope: what depends on a scope is stale if it was read before that. */
export class ScopeClock {
  private count = 0
  /** Nothing read before is current. */
  private beginning = 0
  private readonly changes = new Map<string, number>()

  /** What is read from now on shows all changes so far. */
  get now(): number {
    return this.count
  }

  /** @param scopes that a change touches; `*`: all there are */
  touch(scopes: readonly string[]): void {
    this.count += 1
    for (const scope of scopes) this.changes.set(scope, this.count)
    if (!scopes.includes('*') && this.changes.size <= MAX_SCOPES) return
    this.changes.clear()
    this.beginning = this.count
  }

  /** Whether what depends on these scopes and was read at a time shows all changes so far. */
  isCurrent(scopes: readonly Scope[], readAt: number): boolean {
    return readAt >= this.beginning && scopes.every((scope) => (this.changes.get(scope) ?? 0) <= readAt)
  }
}

/**
 * What pages and other cached values depend on, and what changes touch: a question's page, and its row in lists; a course's
 * lists of the newest questions; whatever else a course has, as its figures and what was active last; a person as pages name them; the
 * numbers of a person's profile; what a person has of their own in pages; a person's sessions and rights; `lists` and `site`: lists
 * and whatever else spans courses; `sign-in`: the providers that people sign in with. See ../page-cache/README.md for what touches
 * which.
 */
export type Scope =
  | `${'question' | 'row' | 'list' | 'course' | 'person' | 'profile' | 'own' | 'access'}:${number}`
  | 'lists'
  | 'site'
  | 'sign-in'
