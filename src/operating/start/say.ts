import { hostname } from 'node:os'
import { makeSignInLink } from '../../accounts/sign-in/links.ts'
import type { Config } from '../../config.ts'
import type { Database } from '../../database/schema.ts'

/**
 * Output besides the request log: during start and shutdown, and when a worker exits. In production all
 * output is JSON, one line per event with the log's usual fields, so that one parser can read it. Elsewhere
 * it is plain text.
 */
export function voiceFor(environment: Readonly<Record<string, string | undefined>>) {
  const isJson = environment.NODE_ENV === 'production'
  return {
    say: (line: string) => console.log(isJson ? jsonLine(30, line) : line),
    /** Reports a fatal error. Only unexpected errors have a stack. */
    fail: (message: string, stack?: string) =>
      console.error(isJson ? jsonLine(60, `handup: ${message}`, stack) : (stack ?? `handup: ${message}`)),
  }
}

/** @param level pino's: 30 is info, 60 fatal */
function jsonLine(level: number, msg: string, stack?: string): string {
  const about = { level, time: Date.now(), pid: process.pid, hostname: hostname() }
  return JSON.stringify({ ...about, ...(stack !== undefined && { err: { message: msg, stack } }), msg })
}

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
