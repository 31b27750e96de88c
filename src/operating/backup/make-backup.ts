import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { to } from 'pg-copy-streams'
import type { Database } from '../../database/schema.ts'
import type { SingleConnection } from '../../database/single-connection.ts'
import { type ArchiveWriter, writeArchive } from './archive-writer.ts'
import { BackupError } from './backup-error.ts'
import { partsOf } from './copy-parts.ts'
import { type BackedUpTable, MANIFEST, type Manifest, partName, uploadName } from './manifest.ts'
import { addPictures } from './pictures.ts'
import { withSnapshot } from './snapshot.ts'
import { filesBelow, type UploadPlace, uploadsFolder } from './uploads.ts'

export interface BackupSource extends UploadPlace {
  readonly db: Database
  readonly url: string
}

export interface BackupOptions {
  /** Cancels; no file is left. */
  readonly signal: AbortSignal
  /** Gets the number of rows, then each row written. */
  readonly progress: { begin(rows: number): void; advance(rows: number): void }
}

/** The result of a backup. */
export interface MadeBackup {
  readonly manifest: Manifest
  readonly uploads: number
  /** Size of the file in bytes. */
  readonly bytes: number
}

/**
 * Writes a consistent snapshot of all data to a file that appears only when it is complete. Uploads are read after the
 * snapshot, so each upload that the data refer to is there: upload files never change.
 * @throws BackupError when there is no data or the file cannot be written
 */
export function makeBackup(source: BackupSource, path: string, options: BackupOptions): Promise<MadeBackup> {
  return withSnapshot(source, (connection, manifest) =>
    writeBackup(connection, manifest, source, path, options),
  )
}

/** The same with an existing snapshot. */
export async function writeBackup(
  { client, write }: SingleConnection,
  manifest: Manifest,
  { dataDir, bucket }: UploadPlace,
  path: string,
  { signal, progress }: BackupOptions,
): Promise<MadeBackup> {
  let uploads = 0
  await writeArchive(path, signal, async (archive) => {
    await archive.add(MANIFEST, Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`))
    progress.begin(manifest.tables.reduce((sum, table) => sum + table.rows, 0))
    for (const table of manifest.tables) await addTable(archive, client, table, progress.advance)
    uploads = await (bucket == null
      ? addUploads(archive, uploadsFolder(dataDir))
      : addPictures(archive, write, bucket))
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
    // An unfinished COPY would keep the connection busy forever.
    client.connection.stream.destroy()
    throw error
  }
  if (rows !== table.rows)
    throw new BackupError(`the table ${table.name} gave ${rows} of its ${table.rows} rows: try again`)
}

/** A file may go between being listed and being read: a picture that no post shows. One that is being written has no row yet. */
async function addUploads(archive: ArchiveWriter, folder: string): Promise<number> {
  let files = 0
  for await (const path of filesBelow(folder)) {
    if (path.endsWith('.part')) continue
    try {
      await archive.addFile(uploadName(path), join(folder, path))
      files += 1
    } catch (error) {
      if (!isMissing(error)) throw error
    }
  }
  return files
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}
