import { after } from 'node:test'
import { connect } from '../database/connection.ts'
import type { Database } from '../database/schema.ts'
import { atEnd, type Ending } from './at-end.ts'
import { type TestServer, useTestServer } from './server.ts'
import { copyTemplate, dropDatabase, ensureFilled, ensureTemplate, socketUrlOf, urlOf } from './template.ts'

/** With production timeouts, outcomes would depend on the machine's load. */
const MAX_WAIT_MS = 60_000

let used: Promise<TestServer> | null = null
const addresses = new WeakMap<Database, string>()
let template: Promise<string> | null = null

after(async () => {
  await (await used)?.stop()
})

/**
 * A migrated, empty database for one test, dropped after it: some 30 ms. It is on the server in TEST_SERVER_URL, as set
 * by `npm test`, else on one that this process starts.
 * @param test the context `t` of the test
 */
export async function testDatabase(test: Ending): Promise<Database> {
  const { db } = await testDatabaseWithUrl(test)
  return db
}

/** The same, with its URL, for other processes and pools. */
export async function testDatabaseWithUrl(test: Ending): Promise<{ db: Database; url: string }> {
  used ??= useTestServer()
  template ??= ensureTemplate((await used).url)
  return copyOf(test, await template)
}

/**
 * A copy of a database that is filled once for all tests that name it.
 * @param kind a name of letters, unique to what it holds
 * @param fill gets the URL of a migrated, empty database
 */
export async function filledDatabase(
  test: Ending,
  kind: string,
  fill: (url: string) => Promise<void>,
): Promise<{ db: Database; url: string }> {
  used ??= useTestServer()
  const server = await used
  template ??= ensureTemplate(server.url)
  return copyOf(test, await ensureFilled(server.url, kind, await template, fill))
}

/** An empty database without migrations. */
export function newDatabase(test: Ending): Promise<{ db: Database; url: string }> {
  return copyOf(test, 'template0')
}

async function copyOf(test: Ending, from: string): Promise<{ db: Database; url: string }> {
  used ??= useTestServer()
  const server = await used
  const name = await copyTemplate(server.url, from)
  const url = urlOf(server.url, name)
  const nearUrl = socketUrlOf(server, name)
  const db = connect(nearUrl, { connectionTimeout: MAX_WAIT_MS, statementTimeout: MAX_WAIT_MS })
  addresses.set(db, nearUrl)
  atEnd(test, async () => {
    await db.destroy()
    await dropDatabase(server.url, name)
  })
  return { db, url }
}

/** The URL of a database that this module created, by the shortest way: for what need not go through a port. */
export function addressOf(db: Database): string {
  const url = addresses.get(db)
  if (url === undefined) throw new Error('not a database made for a test')
  return url
}
