import pg from 'pg'
import { connect } from '../../database/connection.ts'
import { startEmbedded } from '../../database/embedded.ts'
import type { Database } from '../../database/schema.ts'
import { atEnd, type Ending } from '../../testing/at-end.ts'
import { databaseName, forumOf } from '../databases.ts'
import { type SignedIn, signInPeople } from './people.ts'
import { type Server, startForum, stopForum } from './processes.ts'
import { findProgram, type Program } from './programs.ts'
import { type Traffic, trafficOf } from './traffic.ts'

export interface SpeedOptions {
  /** Numbers of questions. */
  readonly sizes: readonly number[]
  /** A PostgreSQL where forums may be made; null: the embedded one, in .data/bench. */
  readonly server: string | null
  /** How long one run of a load is. */
  readonly seconds: number
  /** Runs of each load, of which the median counts. */
  readonly rounds: number
  /** Writes that are watched until every process shows them. */
  readonly writes: number
  /** Minutes of reading and writing before kept pages are compared with fresh ones. */
  readonly minutes: number
  /** Names of the parts that are wanted; empty: all. */
  readonly only: readonly string[]
}

/** What all measures stand on: a forum of some size, running, and who asks for what. */
export interface Ground {
  readonly end: Ending
  /** Questions. */
  readonly size: number
  readonly options: SpeedOptions
  readonly say: (line: string) => void
  readonly db: Database
  readonly databaseUrl: string
  readonly forum: Server
  /** What asks for pages; null: there is none, autocannon does it. */
  readonly wrk: Program | null
  readonly traffic: Traffic
  /** Ids of the questions of the traffic, in its order. */
  readonly questionIds: readonly number[]
  readonly people: readonly SignedIn[]
}

/** So many that nobody comes near the limits on posting and voting. */
const PEOPLE = 320

/**
 * Measures on a forum of so many questions: a copy, as what is measured writes into it. Whatever was started for it is
 * stopped again.
 */
export async function withGround<Measured>(
  size: number,
  options: SpeedOptions,
  say: (line: string) => void,
  measure: (ground: Ground) => Promise<Measured>,
): Promise<Measured> {
  const works: (() => Promise<void>)[] = []
  const end: Ending = { after: (work) => works.push(work) }
  try {
    return await measure(await prepare(end, size, options, say))
  } finally {
    for (const work of works) await work()
  }
}

async function prepare(
  end: Ending,
  size: number,
  options: SpeedOptions,
  say: (line: string) => void,
): Promise<Ground> {
  const serverUrl = options.server ?? (await embeddedUrl(end))
  await (await forumOf(serverUrl, size, say)).destroy()
  const databaseUrl = await copyDatabase(end, serverUrl, databaseName(size))
  const db = connect(databaseUrl, { connections: 2, statementTimeout: 0 })
  atEnd(end, () => db.destroy())
  // Compiles what all later ones find compiled, as a forum does that was started before.
  await stopForum(await startForum(end, databaseUrl))
  const forum = await startForum(end, databaseUrl)
  const traffic = await trafficOf(db)
  const questionIds = traffic.questions.map((path) => Number(/^\/questions\/(\d+)/.exec(path)?.[1]))
  const people = await signInPeople(db, forum.url, PEOPLE)
  const wrk = await findProgram('wrk', ['wrk', 'libluajit-5.1-2'])
  return { end, size, options, say, db, databaseUrl, forum, wrk, traffic, questionIds, people }
}

async function embeddedUrl(end: Ending): Promise<string> {
  const server = await startEmbedded({ dataDir: '.data/bench', role: 'command' })
  atEnd(end, () => server.stop())
  return server.url
}

/** @returns the copy's address; it is dropped in the end */
async function copyDatabase(end: Ending, serverUrl: string, name: string): Promise<string> {
  const copy = `${name}_speed`
  const drop = `drop database if exists ${pg.escapeIdentifier(copy)} with (force)`
  await asServer(serverUrl, [
    drop,
    `create database ${pg.escapeIdentifier(copy)} template ${pg.escapeIdentifier(name)} strategy file_copy`,
  ])
  atEnd(end, () => asServer(serverUrl, [drop]))
  const url = new URL(serverUrl)
  url.pathname = `/${copy}`
  return url.href
}

async function asServer(serverUrl: string, statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}
