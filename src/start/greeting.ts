import { makeSignInLink } from '../accounts/links.ts'
import type { Config } from '../config.ts'
import { sampleSignIns } from '../courses/sample.ts'
import type { Database } from '../database/schema.ts'

/**
 * One-time links to look around the sample course as its people: a line each, with the role before the link. None in
 * production, none without the sample course.
 */
export async function signInLines(db: Database, config: Config): Promise<string[]> {
  if (config.isProduction || config.databaseUrl !== null || !config.sample) return []
  const people = await sampleSignIns(db)
  return Promise.all(
    people.map(async ({ role, personId }) => `${role} ${await makeSignInLink(db, personId, config.baseUrl)}`),
  )
}
