import { getCompileCacheDir } from 'node:module'
import { ensureSetUpLink } from '../accounts/set-up.ts'
import { type Config, readConfig } from '../config.ts'
import { loadSample } from '../courses/sample.ts'
import { connect } from '../database/connection.ts'
import { migrate } from '../database/migrate.ts'
import { type OpenDatabase, openDatabase } from '../database/open.ts'
import type { Database } from '../database/schema.ts'
import { startCrewMetrics } from '../metrics/start-metrics.ts'
import { readSecret } from '../secret.ts'
import { signInLines } from './greeting.ts'
import { databaseError } from './problems.ts'
import { serve } from './serve.ts'
import { type Running, runningUntil } from './stoppable.ts'
import { startWorkers } from './workers.ts'

/** A forum that runs; stopping it closes the database too. */
export type Forum = Running

/**
 * Starts everything: database, migrations, sample course, server.
 * @param say prints a line for whoever started it
 * @param signal aborts the start; what was begun is stopped again
 * @throws ConfigError, EmbeddedError or StartError with one clear line
 */
export async function startForum(
  environment: Record<string, string | undefined>,
  signal: AbortSignal,
  say: (line: string) => void,
): Promise<Forum> {
  const config = readConfig(environment)
  const secret = await readSecret(config)
  const database = await openDatabase(config, { role: 'app', signal, onProgress: say })
  try {
    for (const note of database.notes) say(note)
    await prepare(config, database, say)
    signal.throwIfAborted()
    return await serveAll(config, database, secret, say)
  } catch (error) {
    await database.close()
    throw error
  }
}

/** Migrations, and the sample course on a brand-new embedded database. */
async function prepare(
  config: Config,
  { db, url }: OpenDatabase,
  say: (line: string) => void,
): Promise<void> {
  // A migration may take as long as it needs; the pages' connections give up after seconds.
  const patient = connect(url, { statementTimeout: 0 })
  try {
    const applied = await migrate(patient)
    if (applied.length > 0) say(`database: ${applied.length} migrations applied`)
  } catch (error) {
    throw config.databaseUrl === null ? error : databaseError(error)
  } finally {
    await patient.destroy()
  }
  if (config.databaseUrl !== null || !config.sample || !(await isEmpty(db))) return
  const sample = await loadSample(db)
  say(`sample course: ${sample.title}, ${sample.questions} questions (SAMPLE=off starts without it)`)
}

async function serveAll(
  config: Config,
  database: OpenDatabase,
  secret: string,
  say: (line: string) => void,
): Promise<Forum> {
  const { db, url } = database
  const serving =
    config.workers === 1
      ? await serve(config, db, url, secret)
      : await serveFromWorkers(config, workerVariables(config, url, secret), say)
  const end = async () => {
    await serving.stop()
    await database.close()
  }
  try {
    say(`Handup is ready on ${config.baseUrl}`)
    await greet(config, db, say)
  } catch (error) {
    await serving.stop()
    throw error
  }
  return runningUntil(end)
}

async function serveFromWorkers(
  config: Config,
  variables: ReturnType<typeof workerVariables>,
  say: (line: string) => void,
): Promise<Running> {
  const workers = await startWorkers(config.workers, variables, say)
  try {
    const metrics = await startCrewMetrics(config)
    return runningUntil(async () => {
      await metrics.stop()
      await workers.stop()
    })
  } catch (error) {
    await workers.stop()
    throw error
  }
}

/** The environment as it is, with what this process found out or made. */
function workerVariables(config: Config, url: string, secret: string) {
  return {
    ...process.env,
    DATABASE_URL: url,
    SECRET: secret,
    BASE_URL: config.baseUrl,
    WORKERS: '1',
    NODE_COMPILE_CACHE: getCompileCacheDir(),
  }
}

/** Ways in: as the sample's people, or, where these are not offered and there is no admin yet, to the set-up page. */
async function greet(config: Config, db: Database, say: (line: string) => void): Promise<void> {
  const signIns = await signInLines(db, config)
  for (const line of signIns) say(line)
  const setUpLink = signIns.length > 0 ? null : await ensureSetUpLink(db, config.baseUrl)
  if (setUpLink !== null) say(`set-up ${setUpLink}`)
}

/** Nobody is in it yet: brand-new, or a first start was ended before the sample course was there. */
async function isEmpty(db: Database): Promise<boolean> {
  return (await db.selectFrom('people').select('id').limit(1).executeTakeFirst()) === undefined
}
