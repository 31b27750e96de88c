import { after } from 'node:test'
import { type ConnectionOptions, connect } from '../database/connection.ts'
import type { Database } from '../database/schema.ts'
import '../tables.ts'
import { atEnd, type Ending } from './at-end.ts'
import { CLEANING, emptied, type KeptDatabase, noted } from './kept-databases.ts'
import { type TestServer, useTestServer } from './server.ts'
import {
  copyTemplate,
  dropDatabase,
  ensureFilled,
  ensureTemplate,
  PATIENT,
  socketUrlOf,
  urlOf,
} from './template.ts'

/** Planning takes the server longer than executing what tests ask of it: a connection plans each statement once, for whatever values. */
const PLANNED_ONCE: ConnectionOptions = { ...PATIENT, preparing: { minUses: 1, maxStatements: 2000 } }

let used: Promise<TestServer> | null = null
const addresses = new WeakMap<Database, string>()
let template: Promise<string> | null = null

/** Empty databases that no test of this process uses at the moment. */
const idle: KeptDatabase[] = []

after(async () => {
  await Promise.all(idle.splice(0).map(dropped))
  await (await used)?.stop()
})

/**
 * A migrated, empty database for one test. It is on the server in TEST_SERVER_URL, as set by `npm test`, else on one that
 * this process starts. Tests of a process use the same one in turn, emptied between them: a new copy costs 30 ms, and its
 * first queries some 200 more, as each connection reads the catalogs, plans statements and compiles triggers. A test that
 * changed more than rows, or whose connections are in use at its end, has had the last of its database.
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
  const kept = idle.pop() ?? (await newlyKept(await template))
  addresses.set(kept.db, kept.address)
  atEnd(test, async () => {
    const again = await emptied(kept).catch(() => null)
    if (again === null) await dropped(kept)
    else idle.push(again)
  })
  return kept
}

async function newlyKept(from: string): Promise<KeptDatabase> {
  const copy = await copyOf(from)
  const cleaner = plannedOnce(copy.address, { connections: 1 }, CLEANING)
  return noted({ ...copy, db: plannedOnce(copy.address), cleaner })
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
  return ownCopyOf(test, await ensureFilled(server.url, kind, await template, fill))
}

/** An empty database without migrations. */
export function newDatabase(test: Ending): Promise<{ db: Database; url: string }> {
  return ownCopyOf(test, 'template0')
}

async function ownCopyOf(test: Ending, from: string): Promise<{ db: Database; url: string }> {
  const copy = await copyOf(from)
  const db = connect(copy.address, PATIENT)
  addresses.set(db, copy.address)
  atEnd(test, () => dropped({ ...copy, db }))
  return { ...copy, db }
}

async function copyOf(from: string) {
  used ??= useTestServer()
  const server = await used
  const name = await copyTemplate(server.url, from)
  return { name, url: urlOf(server.url, name), address: socketUrlOf(server, name) }
}

/** Connections that plan each statement once. @param settings of their sessions, beside that */
export function plannedOnce(
  address: string,
  options: ConnectionOptions = {},
  settings: Readonly<Record<string, string>> = {},
): Database {
  const url = new URL(address)
  const all = Object.entries({ plan_cache_mode: 'force_generic_plan', ...settings })
  url.searchParams.set('options', all.map(([name, value]) => `-c ${name}=${value}`).join(' '))
  return connect(url.href, { ...PLANNED_ONCE, ...options })
}

/** A database, and what is connected to it. */
type Connected = Pick<KeptDatabase, 'db' | 'name'> & Partial<Pick<KeptDatabase, 'cleaner'>>

async function dropped({ db, cleaner, name }: Connected): Promise<void> {
  used ??= useTestServer()
  await Promise.all([db.destroy(), cleaner?.destroy()])
  await dropDatabase((await used).url, name)
}

/** The URL of a database that this module created, by the shortest way: for what need not go through a port. */
export function addressOf(db: Database): string {
  const url = addresses.get(db)
  if (url === undefined) throw new Error('not a database made for a test')
  return url
}
