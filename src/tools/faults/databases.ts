import { chmod } from 'node:fs/promises'
import { connect } from '../../database/connection.ts'
import { startEmbedded } from '../../database/embedded/embedded.ts'
import { atEnd, type Ending } from '../../testing/at-end.ts'
import { copyTemplate, dropDatabase, ensureTemplate, urlOf } from '../../testing/template.ts'
import { temporaryFolder } from '../bench/speed/processes.ts'
import type { Databases } from './fault.ts'

/**
 * A PostgreSQL for all faults that do not touch the server, with durable settings as in production. Stopped at the end.
 */
export async function startDatabases(end: Ending): Promise<Databases> {
  const server = await startEmbedded({ dataDir: await passableFolder(end), role: 'command' })
  atEnd(end, () => server.stop())
  const template = await ensureTemplate(server.url)
  const copy = (source: string) => async (fault: Ending) => {
    const name = await copyTemplate(server.url, source)
    const url = urlOf(server.url, name)
    const db = connect(url)
    atEnd(fault, async () => {
      await db.destroy()
      await dropDatabase(server.url, name)
    })
    return { db, url }
  }
  return { migrated: copy(template), empty: copy('template0') }
}

/** A temporary folder. Passable for others, because root's server runs as another user. */
export async function passableFolder(end: Ending): Promise<string> {
  const folder = await temporaryFolder(end)
  await chmod(folder, 0o711)
  return folder
}
