import { after } from 'node:test'
import { connect } from '../database/connection.ts'
import type { Database } from '../database/schema.ts'
import { atEnd, type Ending } from './at-end.ts'
import { startTestServer, type TestServer } from './server.ts'
import { copyTemplate, dropDatabase, ensureTemplate, urlOf } from './template.ts'

let ownServer: Promise<TestServer> | null = null
let template: Promise<string> | null = null

after(async () => {
  await (await ownServer)?.stop()
})

/**
 * A migrated, empty database of the test's own, dropped when the test is over: about 50 ms. It is made on the server
 * TEST_SERVER_URL names, as `npm test` sets it, else on one that this process starts.
 * @param test the context `t` of the test
 */
export async function testDatabase(test: Ending): Promise<Database> {
  const { db } = await testDatabaseWithUrl(test)
  return db
}

/** The same, with its address, for what connects by itself: another process, another pool. */
export async function testDatabaseWithUrl(test: Ending): Promise<{ db: Database; url: string }> {
  const server = await serverUrl()
  template ??= ensureTemplate(server)
  const name = await copyTemplate(server, await template)
  const url = urlOf(server, name)
  const db = connect(url)
  atEnd(test, async () => {
    await db.destroy()
    await dropDatabase(server, name)
  })
  return { db, url }
}

async function serverUrl(): Promise<string> {
  const given = process.env.TEST_SERVER_URL
  if (given !== undefined && given !== '') return given
  ownServer ??= startTestServer()
  return (await ownServer).url
}
