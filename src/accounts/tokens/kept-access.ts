import { sql } from 'kysely'
import type { ChangeFeed } from '../../web/change-feed/change-feed.ts'
import type { Scope } from '../../web/scoped-cache/scope-clock.ts'
import { ScopedCache } from '../../web/scoped-cache/scoped-cache.ts'
import { hashToken } from '../../web/tokens.ts'
import { isSecret, type SecretKind } from './secret.ts'

/** What nobody revokes is looked up again after as long: that it is used is noted then. */
const MAX_AGE_MS = 60_000
const MAX_TOKENS = 10_000
/** How exactly last_used_at is kept. */
export const USED_STEP = sql`interval '1 minute'`

/** How what a token of a kind gives is found, and what it depends on. */
interface Found<Access> {
  readonly kind: SecretKind
  find(hash: Buffer): Promise<Access | null>
  scopeOf(access: Access): Scope
}

/**
 * Looks up what tokens give, once a minute. What is revoked, and whatever is changed of a person or of their roles, is looked up again at
 * once, in every process.
 */
export class KeptAccess<Access extends { readonly endsAt: Date }> {
  private readonly found: Found<Access>
  private readonly kept: ScopedCache<Access | null>

  /** @param changes null: nobody tells of changes, so that nothing is kept */
  constructor(changes: ChangeFeed | null, found: Found<Access>) {
    this.found = found
    this.kept = new ScopedCache(changes, { maxSize: MAX_TOKENS, maxAgeMs: MAX_AGE_MS })
  }

  /** null: no token of ours, one that was revoked, or one that has ended. */
  async accessOf(token: string): Promise<Access | null> {
    const { kind, find, scopeOf } = this.found
    if (!isSecret(kind, token)) return null
    const hash = hashToken(token)
    const access = await this.kept.find(hash.toString('base64'), async () => {
      const value = await find(hash)
      return { value, scopes: value === null ? null : [scopeOf(value)] }
    })
    return access !== null && access.endsAt.getTime() > Date.now() ? access : null
  }
}
