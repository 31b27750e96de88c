import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { to } from 'pg-copy-streams'
import type { Database } from '../database/schema.ts'
import type { SingleConnection } from '../database/single-connection.ts'
import { type ArchiveWriter, writeArchive } from './archive-writer.ts'
import { BackupError } from './backup-error.ts'
import { partsOf } from './copy-parts.ts'
import { type BackedUpTable, MANIFEST, type Manifest, partName, uploadName } from './manifest.ts'
import { withSnapshot } from './snapshot.ts'
import { filesBelow, uploadsFolder } from './uploads.ts'

export interface BackupSource {
  readonly db: Database
  readonly url: string
  /** Uploads lie below it. */
  readonly dataDir: string
}

export interface BackupOptions {
  /** Ends it; no file is left then. */
  readonly signal: AbortSignal
  /** Is told how many rows there are, then of each that is written. */
  readonly progress: { begin(rows: number): void; advance(rows: number): void }
}

/** What a backup came to. */
export interface MadeBackup {
  readonly manifest: Manifest
  readonly uploads: number
  /** Of the file. */
  readonly bytes: number
}

/**
 * Writes all data, as of one moment, into a file that appears when it is whole. Uploads are read after the snapshot is
 * taken, so that each one the data speak of is there: their files never change.
 * @throws BackupError when there is nothing to back up or the file cannot be written
 */
export function makeBackup(source: BackupSource, path: string, options: BackupOptions): Promise<MadeBackup> {
  return withSnapshot(source, (connection, manifest) =>
    writeBackup(connection, manifest, source.dataDir, path, options),
  )
}

/** The same of a snapshot that somebody has taken. */
export async function writeBackup(
  { client }: SingleConnection,
  manifest: Manifest,
  dataDir: string,
  path: string,
  { signal, progress }: BackupOptions,
): Promise<MadeBackup> {
  let uploads = 0
  await writeArchive(path, signal, async (archive) => {
    await archive.add(MANIFEST, Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`))
    progress.begin(manifest.tables.reduce((sum, table) => sum + table.rows, 0))
    for (const table of manifest.tables) await addTable(archive, client, table, progress.advance)
    uploads = await addUploads(archive, uploadsFolder(dataDir))
  })
  return { manifest, uploads, bytes: (await stat(path)).size }
}

async function addTable(
  archive: ArchiveWriter,
  client: SingleConnection['client'],
  table: BackedUpTable,
  advance: (rows: number) => void,
): Promise<void> {
  const columns = table.columns.map((column) => pg.escapeIdentifier(column)).join(', ')
  const copy = client.query(to(`copy ${pg.escapeIdentifier(table.name)} (${columns}) to stdout`))
  let rows = 0
  let number = 0
  try {
    for await (const part of partsOf(copy)) {
      number += 1
      await archive.add(partName(table.name, number), part.bytes)
      rows += part.rows
      advance(part.rows)
    }
  } catch (error) {
    // A COPY that nobody reads to its end would keep the connection busy for ever.
    client.connection.stream.destroy()
    throw error
  }
  if (rows !== table.rows)
    throw new BackupError(`the table ${table.name} gave ${rows} of its ${table.rows} rows: try again`)
}

async function addUploads(archive: ArchiveWriter, folder: string): Promise<number> {
  let files = 0
  for await (const path of filesBelow(folder)) {
    await archive.addFile(uploadName(path), join(folder, path))
    files += 1
  }
  return files
}
