import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { createApp } from '../../app.ts'
import { readConfig } from '../../config.ts'
import { connect } from '../../database/connection.ts'
import { useTestServer } from '../../testing/server.ts'
import { copyTemplate, dropDatabase, ensureTemplate, urlOf } from '../../testing/template.ts'
import { ChangeFeed } from '../../web/change-feed/change-feed.ts'

/** Runs a forum in production mode on a new database for the duration of the callback. It logs its errors. */
export async function withForum<Result>(work: (app: FastifyInstance) => Promise<Result>): Promise<Result> {
  const server = await useTestServer()
  const name = await copyTemplate(server.url, await ensureTemplate(server.url))
  const url = urlOf(server.url, name)
  const db = connect(url)
  const changes = new ChangeFeed(url)
  await changes.open()
  const files = await mkdtemp(join(tmpdir(), 'handup-walk-'))
  const config = readConfig({ LOG_LEVEL: 'error', TIME_ZONE: 'UTC', DATA_DIR: files })
  const app = await createApp(config, db, ['a secret for walks, of no use to anybody else'], changes)
  // A walk asks for more pages than the limit allows, which would end it at 429.
  app.renderLimit.count = () => undefined
  try {
    await app.ready()
    app.jobs.begin()
    return await work(app)
  } finally {
    await app.close()
    await changes.close()
    await db.destroy()
    await dropDatabase(server.url, name)
    await server.stop()
    await rm(files, { recursive: true, force: true })
  }
}
