import type { Database } from '../../database/schema.ts'
import { together } from '../../database/together.ts'
import type { Person } from '../../rights/person.ts'
import type { ChangeFeed } from '../../web/change-feed/change-feed.ts'
import { type Loaded, ScopedCache } from '../../web/scoped-cache/scoped-cache.ts'
import { hashToken } from '../../web/tokens.ts'
import { peopleOfSessions } from './sessions.ts'

/**
 * How long who a session belongs to is kept: a session that nobody used for 30 days may live that much longer. Longer than most
 * people stay on a page, so that the next page finds them.
 */
const MAX_AGE_MS = 5 * 60_000
const MAX_SESSIONS = 10_000
/** Looked up by one statement. */
const MAX_TOGETHER = 100

/**
 * Who is signed in, looked up once for the pages of some minutes. A session that is ended, and whatever is changed of a
 * person or of their roles, or of providers (whose second factors count), is looked up again at once, in every process.
 */
export class KeptSessions {
  /** After a restart hundreds of people come at once. */
  private readonly personOfHash: (hash: string) => Promise<Person | undefined>
  private readonly kept: ScopedCache<Person | null>

  /** @param changes null: nobody tells of changes, so that nothing is kept */
  constructor(db: Database, changes: ChangeFeed | null) {
    this.personOfHash = together((hashes) => peopleOfSessions(db, hashes), MAX_TOGETHER)
    this.kept = new ScopedCache(changes, { maxSize: MAX_SESSIONS, maxAgeMs: MAX_AGE_MS })
  }

  /** The person a session's token belongs to; null when it has ended or never was. */
  personOf(token: string): Promise<Person | null> {
    return this.find(hashToken(token).toString('hex'))
  }

  private find(hash: string): Promise<Person | null> {
    return this.kept.find(hash, () => this.read(hash))
  }

  private async read(hash: string): Promise<Loaded<Person | null>> {
    const value = (await this.personOfHash(hash)) ?? null
    return { value, scopes: value === null ? null : [`access:${value.id}`, 'sign-in'] }
  }
}
