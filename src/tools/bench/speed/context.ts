import pg from 'pg'
import { connect } from '../../../database/connection.ts'
import { startEmbedded } from '../../../database/embedded/embedded.ts'
import type { Database } from '../../../database/schema.ts'
import type { StartedForum } from '../../../operating/start/testing.ts'
import { atEnd, type Ending } from '../../../testing/at-end.ts'
import { databaseName, forumOf } from '../databases.ts'
import { type SignedIn, signInPeople } from './people.ts'
import { startForum, stopForum } from './processes.ts'
import { findProgram, type Program } from './programs.ts'
import { type Traffic, trafficOf } from './traffic.ts'

export interface SpeedOptions {
  /** Numbers of questions. */
  readonly sizes: readonly number[]
  /** A PostgreSQL server for the forums; null: the embedded one in .data/bench. */
  readonly server: string | null
  /** Seconds of one run of a load. */
  readonly seconds: number
  /** Runs of each load; the median counts. */
  readonly rounds: number
  /** Names of the parts to run; empty: all. */
  readonly only: readonly string[]
}

/** The environment of all measurements: a running forum of some size, and its clients. */
export interface BenchContext {
  readonly end: Ending
  /** Questions. */
  readonly size: number
  readonly options: SpeedOptions
  readonly say: (line: string) => void
  readonly db: Database
  readonly databaseUrl: string
  readonly forum: StartedForum
  /** The load generator; null: not available, autocannon is used. */
  readonly wrk: Program | null
  readonly traffic: Traffic
  /** Ids of the questions in the traffic, in its order. */
  readonly questionIds: readonly number[]
  readonly people: readonly SignedIn[]
}

/** Enough people to stay below the rate limits on posting and voting. */
const PEOPLE_COUNT = 320

/**
 * Measures on a copy of the forum with this many questions, because measurements write to it. Everything started for it
 * is stopped again.
 */
export async function withBenchContext<Measured>(
  size: number,
  options: SpeedOptions,
  say: (line: string) => void,
  measure: (context: BenchContext) => Promise<Measured>,
  peopleCount = PEOPLE_COUNT,
): Promise<Measured> {
  const works: (() => Promise<void>)[] = []
  const end: Ending = { after: (work) => works.push(work) }
  try {
    return await measure(await prepare(end, size, options, say, peopleCount))
  } finally {
    for (const work of works) await work()
  }
}

async function prepare(
  end: Ending,
  size: number,
  options: SpeedOptions,
  say: (line: string) => void,
  peopleCount: number,
): Promise<BenchContext> {
  const serverUrl = options.server ?? (await embeddedUrl(end))
  await (await forumOf(serverUrl, size, say)).destroy()
  const databaseUrl = await copyDatabase(end, serverUrl, databaseName(size))
  const db = connect(databaseUrl, { connections: 2, statementTimeout: 0 })
  atEnd(end, () => db.destroy())
  // Fills the compile cache, as in a forum that was started before.
  await stopForum(await startForum(end, databaseUrl))
  const forum = await startForum(end, databaseUrl)
  const traffic = await trafficOf(db)
  const questionIds = traffic.questions.map((path) => Number(/^\/questions\/(\d+)/.exec(path)?.[1]))
  const people = await signInPeople(db, forum.url, peopleCount)
  const wrk = await findProgram('wrk', ['wrk', 'libluajit-5.1-2'])
  return { end, size, options, say, db, databaseUrl, forum, wrk, traffic, questionIds, people }
}

async function embeddedUrl(end: Ending): Promise<string> {
  const server = await startEmbedded({ dataDir: '.data/bench', role: 'command' })
  atEnd(end, () => server.stop())
  return server.url
}

/** @returns the copy's URL; it is dropped at the end */
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
