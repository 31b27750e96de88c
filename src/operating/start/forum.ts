import { getCompileCacheDir } from 'node:module'
import type { FastifyInstance } from 'fastify'
import { type Config, readConfig } from '../../config.ts'
import { connect } from '../../database/connection.ts'
import { migrate } from '../../database/migrate.ts'
import { type OpenDatabase, openDatabase } from '../../database/open.ts'
import { keepsSessions } from '../../database/pooler.ts'
import type { Database } from '../../database/schema.ts'
import { readKeys, type SecretKeys } from '../../secrets/keys.ts'
import { startCrewMetrics } from '../metrics/start-metrics.ts'
import { databaseError, isExpected, StartError } from '../problems.ts'
import { type Running, runningUntil } from '../running.ts'
import { ensureSetUpLink } from '../set-up/set-up.ts'
import { publishAddress } from './running-address.ts'
import { signInLines, voiceFor } from './say.ts'
import { noteSecret, readSecret, unreadableLine } from './secret.ts'
import { refuseTakenPorts, serve } from './serve.ts'
import { startWorkers } from './workers.ts'

/**
 * Starts everything: database, migrations, sample course, server. Stopping it closes the database too.
 * @param say prints a line for the operator
 * @param signal aborts the start; what was started is stopped again
 * @param extend adds routes that aren't part of the forum; workers do without
 * @throws ConfigError, EmbeddedError or StartError with one clear line
 */
async function startForum(
  environment: Record<string, string | undefined>,
  signal: AbortSignal,
  say: (line: string) => void,
  extend?: (app: FastifyInstance) => void,
): Promise<Running> {
  const config = readConfig(environment)
  await refuseTakenPorts(config)
  const secret = await readSecret(config)
  const database = await openDatabase(config, { role: 'app', signal, onProgress: say })
  try {
    for (const note of database.notes) say(note)
    await prepare(config, database, say)
    const keys = readKeys(secret)
    for (const line of [await noteSecret(database.db, keys), await unreadableLine(database.db, keys)])
      if (line !== null) say(line)
    signal.throwIfAborted()
    return await serveAll(config, database, secret, say, signal, extend)
  } catch (error) {
    await database.close()
    throw error
  }
}

/** Applies migrations, and loads the sample course into a new embedded database. */
async function prepare(
  config: Config,
  { db, url }: OpenDatabase,
  say: (line: string) => void,
): Promise<void> {
  if (config.databaseUrl !== null && !(await keepsSessions(url).catch(refused)))
    throw new StartError(
      'DATABASE_URL leads through a pooler in transaction mode (PgBouncer with pool_mode=transaction), ' +
        'which breaks LISTEN and prepared statements: set pool_mode=session for this database, ' +
        'or use the address of PostgreSQL itself',
    )
  // Migrations run without a statement timeout; the pages' connections have one of seconds.
  const untimed = connect(url, { statementTimeout: 0 })
  try {
    const applied = await migrate(untimed)
    if (applied.length > 0) say(`database: ${applied.join(', ')} applied`)
  } catch (error) {
    throw config.databaseUrl === null ? error : databaseError(error)
  } finally {
    await untimed.destroy()
  }
  if (config.databaseUrl !== null || config.sample === null || !(await isEmpty(db))) return
  // It reads YAML, which nothing else does.
  const { loadSample } = await import('../sample/sample.ts')
  const sample = await loadSample(db, { language: config.sample, admin: !config.isProduction })
  say(
    `sample course: ${sample.title}, ${sample.questions} questions (SAMPLE=off: none, SAMPLE=ko: in Korean)`,
  )
}

function refused(error: unknown): never {
  throw databaseError(error)
}

async function serveAll(
  config: Config,
  database: OpenDatabase,
  secret: string,
  say: (line: string) => void,
  signal: AbortSignal,
  extend?: (app: FastifyInstance) => void,
): Promise<Running> {
  const { db, url } = database
  const serving =
    config.workers === 1
      ? await serve(config, db, url, readKeys(secret), signal, extend)
      : await serveFromWorkers(config, url, secret, say, signal)
  const withdrawAddress = await publishAddress(config)
  const end = async () => {
    await serving.stop()
    await withdrawAddress()
  }
  try {
    if (process.getuid?.() === 0)
      say('runs as root: better create a user for it (docs/operating.md has a systemd unit with one)')
    say(`Handup is ready on ${config.baseUrl}`)
    await greet(config, db, readKeys(secret), say)
  } catch (error) {
    await end()
    throw error
  }
  return runningUntil(() => end().then(database.close))
}

async function serveFromWorkers(
  config: Config,
  url: string,
  secret: string,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<Running> {
  const variables = {
    ...process.env,
    ...{ DATABASE_URL: url, SECRET: secret, BASE_URL: config.baseUrl, WORKERS: '1' },
    NODE_COMPILE_CACHE: getCompileCacheDir(),
  }
  const workers = await startWorkers(config, variables, say, signal)
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

/** Links for the first sign-in: as the sample's people or, without them and without an admin, to the set-up page. */
async function greet(
  config: Config,
  db: Database,
  [secret]: SecretKeys,
  say: (line: string) => void,
): Promise<void> {
  const signIns = await signInLines(db, config)
  for (const line of signIns) say(line)
  const setUpLink = signIns.length > 0 ? null : await ensureSetUpLink(db, config.baseUrl, secret)
  if (setUpLink === null) return
  const until = setUpLink.expiresAt.toISOString().slice(11, 16)
  say(
    `set-up ${setUpLink.url} (creates the admin and the first course; works once, until ${until} UTC; ` +
      '"handup user set-up" prints another)',
  )
}

/** Nobody has an account: a new database, or a first start that ended before the sample course was loaded. */
async function isEmpty(db: Database): Promise<boolean> {
  return (await db.selectFrom('people').select('id').limit(1).executeTakeFirst()) === undefined
}

/**
 * The forum's process: starts it, and stops it at a signal.
 * @param extend adds routes that aren't part of the forum
 */
export async function runForum(extend?: (app: FastifyInstance) => void): Promise<void> {
  const voice = voiceFor(process.env)
  const stopping = new AbortController()
  const stop = () => stopping.abort()
  // SIGHUP: the terminal was closed. Each signal may come twice, from the terminal and forwarded by npm: the
  // second one must not end the process while the database is still stopping.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)

  try {
    const forum = await startForum(process.env, stopping.signal, voice.say, extend)
    // Started on the way down: nothing was promised to anybody yet.
    if (!stopping.signal.aborted)
      await new Promise((resolve) => stopping.signal.addEventListener('abort', resolve))
    await forum.stop()
  } catch (error) {
    if (!stopping.signal.aborted) {
      const message = error instanceof Error ? error.message : String(error)
      voice.fail(message, !isExpected(error) && error instanceof Error ? error.stack : undefined)
      process.exitCode = 1
    }
  }
}
