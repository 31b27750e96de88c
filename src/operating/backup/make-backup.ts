import { stat } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import pg from 'pg'
import { to } from 'pg-copy-streams'
import { nullIfMissing } from '../../database/embedded/error.ts'
import type { Database, Write } from '../../database/schema.ts'
import type { SingleConnection } from '../../database/single-connection.ts'
import { type ArchiveWriter, writeArchive } from './archive-writer.ts'
import { BackupError } from './backup-error.ts'
import { type BackedUpTable, MANIFEST, type Manifest, partName, partsOf, uploadName } from './manifest.ts'
import { addPictures, stillHarmed } from './pictures.ts'
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

/**
 * Writes a consistent snapshot of all data to a file that appears only when it is complete. Uploads are read after the
 * snapshot, so each upload that the data refer to is there: upload files never change.
 * @returns `harmed`: pictures that posts show and that are missing or damaged; `bytes`: the size of the file
 * @throws BackupError when there is no data or the file cannot be written
 */
export async function makeBackup(source: BackupSource, path: string, options: BackupOptions) {
  const made = await withSnapshot(source, (connection, manifest) =>
    writeBackup(connection, manifest, source, path, options),
  )
  return { ...made, harmed: await stillHarmed(source.db, made.harmed) }
}

export type MadeBackup = Awaited<ReturnType<typeof makeBackup>>

export async function writeBackup(
  { client, write }: SingleConnection,
  manifest: Manifest,
  { dataDir, bucket }: UploadPlace,
  path: string,
  { signal, progress }: BackupOptions,
) {
  const added = await writeArchive(path, signal, async (archive) => {
    const text = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)
    await archive.add(MANIFEST, text.length, [text])
    progress.begin(manifest.tables.reduce((sum, table) => sum + table.rows, 0))
    for (const table of manifest.tables) await addTable(archive, client, table, progress.advance)
    const folder = uploadsFolder(dataDir)
    const { files, harmed } = await addPictures(write, archive, bucket ?? folder)
    const others = bucket == null ? await addOthers(archive, write, folder) : 0
    return { uploads: files + others, harmed }
  })
  return { manifest, ...added, bytes: (await stat(path)).size }
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
      await archive.add(partName(table.name, number), part.bytes.length, [part.bytes])
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

/** Files that are looked up at once. */
const BATCH = 500

/** Adds what is below the folder and is no picture that the database knows. */
async function addOthers(archive: ArchiveWriter, snapshot: Write, folder: string): Promise<number> {
  let files = 0
  let some: string[] = []
  const flush = async () => {
    const known = await namesAmong(snapshot, some.map(nameOf))
    for (const path of some) {
      if (known.has(nameOf(path))) continue
      // It may go between being listed and being read.
      const added = await archive.addFile(uploadName(path), join(folder, path)).catch(nullIfMissing)
      if (added !== null) files += 1
    }
    some = []
  }
  for await (const path of filesBelow(folder)) {
    // One that is being written has no row yet.
    if (path.endsWith('.part')) continue
    some.push(path)
    if (some.length === BATCH) await flush()
  }
  await flush()
  return files
}

const nameOf = (path: string) => basename(path, extname(path))

async function namesAmong(snapshot: Write, names: readonly string[]): Promise<ReadonlySet<string>> {
  if (names.length === 0) return new Set()
  const known = await snapshot.selectFrom('images').select('name').where('name', 'in', names).execute()
  return new Set(known.map(({ name }) => name))
}
