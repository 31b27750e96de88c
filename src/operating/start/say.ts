import { hostname } from 'node:os'
import { makeSignInLink } from '../../accounts/sign-in/links.ts'
import type { Config } from '../../config.ts'
import type { Database } from '../../database/schema.ts'

/** The levels of the log (pino's). */
const LEVELS = { info: 30, fatal: 60 } as const

/** Output besides the request log: during start and shutdown, and when a worker exits. */
export interface Voice {
  say(line: string): void
  /** Reports a fatal error. Only unexpected errors have a stack. */
  fail(message: string, stack?: string): void
}

/**
 * In production all output is JSON, one line per event with the log's usual fields, so that one parser can read it.
 * Elsewhere it is plain text.
 */
export function voiceFor(environment: Readonly<Record<string, string | undefined>>): Voice {
  return environment.NODE_ENV === 'production' ? JSON_VOICE : PLAIN_VOICE
}

const PLAIN_VOICE: Voice = {
  say: (line) => console.log(line),
  fail: (message, stack) => console.error(stack ?? `handup: ${message}`),
}

const JSON_VOICE: Voice = {
  say: (line) => console.log(jsonLine('info', line)),
  fail: (message, stack) => console.error(jsonLine('fatal', `handup: ${message}`, stack)),
}

function jsonLine(level: keyof typeof LEVELS, msg: string, stack?: string): string {
  const { pid } = process
  return JSON.stringify({
    level: LEVELS[level],
    time: Date.now(),
    pid,
    hostname: hostname(),
    ...(stack !== undefined && { err: { message: msg, stack } }),
    msg,
  })
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
