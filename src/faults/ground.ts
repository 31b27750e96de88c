import { chmod } from 'node:fs/promises'
import { temporaryFolder } from '../bench/speed/processes.ts'
import { connect } from '../database/connection.ts'
import { startEmbedded } from '../database/embedded.ts'
import { atEnd, type Ending } from '../testing/at-end.ts'
import { copyTemplate, dropDatabase, ensureTemplate, urlOf } from '../testing/template.ts'
import type { Databases } from './fault.ts'

/**
 * A PostgreSQL for all faults that leave the server alone, with the settings of every installation: what it has
 * acknowledged is on the disk. Stopped in the end.
 */
export async function startGround(end: Ending): Promise<Databases> {
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

/** A folder that is gone in the end. Root's server runs as another user, who has to pass through. */
export async function passableFolder(end: Ending): Promise<string> {
  const folder = await temporaryFolder(end)
  await chmod(folder, 0o711)
  return folder
}
