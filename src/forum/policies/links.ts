import type { FastifyInstance } from 'fastify'
import { POLICY_NAMES } from '../../database/schema.ts'
import { courseRulesPath } from '../../web/paths.ts'
import { ScopedCache } from '../../web/scoped-cache/scoped-cache.ts'
import { listShownPolicies } from './policy.ts'

/**
 * Links to the pages that are not empty, for the footer of a course's pages, and of those of none. They are read once, until one of them
 * changes. Without the database there are none: pages that say so have a footer, too.
 */
export function registerPolicyLinks(app: FastifyInstance): void {
  const cache = new ScopedCache<Awaited<ReturnType<typeof listShownPolicies>>>(app.changes, { maxSize: 1 })

  async function shownPolicies() {
    try {
      // Without a scope: a change of them touches everything.
      return await cache.find('shown', async () => ({ value: await listShownPolicies(app.db), scopes: [] }))
    } catch (error) {
      app.log.warn({ err: error }, 'the footer has no links: the database did not answer')
      return []
    }
  }

  app.decorate('policyLinks', async (course) => {
    const shown = await shownPolicies()
    const ofForum = POLICY_NAMES.filter((name) =>
      shown.some((one) => one.course === null && one.name === name),
    ).map((name) => ({ name, path: `/${name}` }) as const)
    if (course === null || !shown.some((one) => one.course === course)) return ofForum
    return [{ name: 'courseRules', path: courseRulesPath(course) }, ...ofForum]
  })
}
