import type { FastifyInstance } from 'fastify'
import { createApp } from '../app.ts'
import { Changes } from '../changes/changes.ts'
import type { Config } from '../config.ts'
import type { Database } from '../database/schema.ts'
import { startMail } from '../mail/start-mail.ts'
import { startMetrics } from '../metrics/start-metrics.ts'
import { giveBackMemory } from './give-back-memory.ts'
import { startHousekeeping } from './housekeeping.ts'
import { listenError } from './problems.ts'
import { type Running, runningUntil } from './stoppable.ts'

/** How long requests under way may take to finish when the forum stops, in milliseconds. */
const PATIENCE = 8000

/**
 * Serves the forum from this process, and does its part of what is to be done beside: several may, on one database.
 * @param url the database's, for a connection that hears of changes
 * @throws StartError when nothing can listen there
 */
export async function serve(config: Config, db: Database, url: string, secret: string): Promise<Running> {
  const changes = new Changes(url)
  await changes.open()
  const app = await createApp(config, db, secret, changes)
  const jobs = [startHousekeeping(db, app.log), await startMail(config, db, app.log)]
  let metrics: Running | null = null
  const end = async () => {
    await metrics?.stop()
    // Who still sends or reads after that is cut off, so that a stop always ends.
    const impatience = setTimeout(() => app.server.closeAllConnections(), PATIENCE)
    await Promise.all([...jobs.map((job) => job.stop()), app.close()])
    clearTimeout(impatience)
    await changes.close()
  }
  // While nobody waits for a page yet.
  giveBackMemory()
  try {
    await listen(app, config)
    metrics = await startMetrics(app)
  } catch (error) {
    await end()
    throw error
  }
  return runningUntil(end)
}

async function listen(app: FastifyInstance, { host, port }: Config): Promise<void> {
  try {
    await app.listen({ host, port })
  } catch (error) {
    throw listenError(error, host, port)
  }
}
