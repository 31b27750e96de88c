import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { type Database, POLICY_NAMES } from '../../database/schema.ts'
import type { ChangeFeed } from '../../web/change-feed/change-feed.ts'
import { courseRulesPath } from '../../web/paths.ts'
import { ScopedCache } from '../../web/scoped-cache/scoped-cache.ts'
import type { PolicyLink } from '../../web/shell.ts'
import { listShownPolicies } from './policy.ts'

/** Lists the pages that are not empty, for every page's footer. Read once, until one of them changes. */
class ShownPolicies {
  private readonly db: Database
  private readonly log: FastifyBaseLogger
  private readonly cache: ScopedCache<Awaited<ReturnType<typeof listShownPolicies>>>

  constructor(db: Database, log: FastifyBaseLogger, changes: ChangeFeed | null) {
    this.db = db
    this.log = log
    this.cache = new ScopedCache(changes, { maxSize: 1 })
  }

  /** Links for pages of a course, or of none. Without the database there are none: pages that say so have a footer, too. */
  async links(course: string | null): Promise<readonly PolicyLink[]> {
    const shown = await this.shown()
    const ofForum = POLICY_NAMES.filter((name) =>
      shown.some((one) => one.course === null && one.name === name),
    ).map((name) => ({ name, path: `/${name}` }) as const)
    if (course === null || !shown.some((one) => one.course === course)) return ofForum
    return [{ name: 'courseRules', path: courseRulesPath(course) }, ...ofForum]
  }

  private async shown() {
    try {
      // Without a scope: a change of them touches everything.
      return await this.cache.find('shown', async () => ({
        value: await listShownPolicies(this.db),
        scopes: [],
      }))
    } catch (error) {
      this.log.warn({ err: error }, 'the footer has no links: the database did not answer')
      return []
    }
  }
}

export function registerPolicyLinks(app: FastifyInstance): void {
  const shown = new ShownPolicies(app.db, app.log, app.changes)
  app.decorate('policyLinks', (course) => shown.links(course))
}
