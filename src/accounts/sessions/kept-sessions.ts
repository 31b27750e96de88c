import { LRUCache } from 'lru-cache'
import type { Database } from '../../database/schema.ts'
import type { Person } from '../../rights/person.ts'
import { type Change, touchesEverything } from '../../web/change-feed/change.ts'
import type { ChangeFeed } from '../../web/change-feed/change-feed.ts'
import { personOfSession } from './sessions.ts'

/**
 * How long who a session belongs to is kept: a session that nobody used for 30 days may live that much longer. Longer than most
 * people stay on a page, so that the next page finds them.
 */
const MAX_AGE_MS = 5 * 60_000

/**
 * Who is signed in, looked up once for the pages of some minutes. A session that is ended, and whatever is changed of a
 * person or of their roles, is looked up again at once, in every process.
 */
export class KeptSessions {
  private readonly db: Database
  private readonly changes: ChangeFeed | null
  private readonly kept = new LRUCache<string, Person>({ max: 10_000, ttl: MAX_AGE_MS })

  /** @param changes null: nobody tells of changes, so that nothing is kept */
  constructor(db: Database, changes: ChangeFeed | null) {
    this.db = db
    this.changes = changes
    changes?.listen({ changed: (change) => this.drop(change), lost: () => this.kept.clear() })
  }

  /** The person a session's token belongs to; null when it has ended or never was. */
  async personOf(token: string): Promise<Person | null> {
    const known = this.kept.get(token)
    if (known !== undefined) return known
    const received = this.changes?.received
    const person = await personOfSession(this.db, token)
    // What was read before a change must not be kept after it.
    const isCurrent = this.changes?.isLive === true && this.changes.received === received
    if (person !== null && isCurrent) this.kept.set(token, person)
    return person
  }

  private drop(change: Change): void {
    if (touchesEverything(change)) this.kept.clear()
    if (change.person === undefined) return
    for (const [token, person] of this.kept.entries())
      if (person.id === change.person) this.kept.delete(token)
  }
}
