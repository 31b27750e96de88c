import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import { createApp } from '../app.ts'
import { type Config, readConfig } from '../config.ts'
import type { Database } from '../database/schema.ts'
import { readKeys } from '../secrets/keys.ts'
import { ChangeFeed } from '../web/change-feed/change-feed.ts'
import { atEnd, type Ending } from './at-end.ts'
import { addressOf } from './database.ts'

/** Signs what apps of tests give out: cookies, links in mails. */
export const SECRET = 'a secret for tests, of no use to anybody else'

/** The forum on this database, for inject or listen; closed after the test. Silent by default. */
export async function testApp(
  test: Ending,
  db: Database,
  overrides: Partial<Config> = {},
): Promise<FastifyInstance> {
  return startApp(test, overrides, db, null)
}

/** The same, with a callback for each line of its log. */
export async function testAppThatLogs(test: Ending, db: Database, overrides: Partial<Config> = {}) {
  const lines: string[] = []
  const log = { write: (line: string) => void lines.push(line) }
  const app = await startApp(test, { logLevel: 'info', ...overrides }, db, null, log)
  return { app, lines }
}

/** The same with production features: it receives changes, and caches pages and sessions. */
export async function testAppThatHears(
  test: Ending,
  db: Database,
  overrides: Partial<Config> = {},
  log?: { write(line: string): void },
) {
  const changes = new ChangeFeed(addressOf(db))
  await changes.open()
  const app = await startApp(test, overrides, db, changes, log)
  return { app, changes }
}

async function startApp(
  test: Ending,
  overrides: Partial<Config>,
  db: Database,
  changes: ChangeFeed | null,
  log?: { write(line: string): void },
) {
  const app = await createApp({ ...testConfig(), ...overrides }, db, readKeys(SECRET), changes, log)
  atEnd(test, async () => {
    await app.close()
    await changes?.close()
  })
  await app.ready()
  app.jobs.begin()
  return app
}

/** For code that logs without an app. */
export function silentLog(): FastifyBaseLogger {
  return fastify({ logger: { level: 'silent' } }).log
}

/** A configuration that is independent of the machine. */
export function testConfig(): Config {
  return readConfig({
    BASE_URL: 'http://localhost:3000',
    DATA_DIR: join(tmpdir(), 'handup-tests-data'),
    LOG_LEVEL: 'silent',
    SECRET,
    TIME_ZONE: 'UTC',
  })
}
