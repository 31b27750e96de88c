import { makeSignInLink } from '../../accounts/sign-in/links.ts'
import type { Config } from '../../config.ts'
import type { Database } from '../../database/schema.ts'

/**
 * One-time links to sign in as people of the sample course: a line each, with the role before the link. None in
 * production or without the sample course.
 */
export async function signInLines(db: Database, config: Config): Promise<string[]> {
  if (config.isProduction || config.databaseUrl !== null || config.sample === null) return []
  const { sampleSignIns } = await import('../sample/sample.ts')
  const people = await sampleSignIns(db, config.sample)
  return Promise.all(
    people.map(async ({ role, personId }) => `${role} ${await makeSignInLink(db, personId, config.baseUrl)}`),
  )
}
