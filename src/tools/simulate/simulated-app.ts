import { randomBytes } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { createApp } from '../../app.ts'
import type { Config } from '../../config.ts'
import type { Database } from '../../database/schema.ts'

/** The forum for a simulation: its pages are injected, it listens nowhere, and says nothing. */
export async function simulatedApp(config: Config, db: Database): Promise<FastifyInstance> {
  const app = await createApp({ ...config, logLevel: 'silent' }, db, [randomBytes(32).toString('hex')])
  await app.ready()
  return app
}
