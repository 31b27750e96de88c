import { stat } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { type Member, readArchive } from './archive-reader.ts'
import { BackupError, explainFile } from './backup-error.ts'
import { type Manifest, readManifest, rowsIn } from './manifest.ts'

export interface CheckedBackup {
  readonly path: string
  /** Size of the file in bytes. */
  readonly size: number
  readonly manifest: Manifest
  readonly uploads: number
}

/**
 * Reads all of a backup without changing anything, and verifies its checksums and each table's number of rows.
 * @param progress gets the file's size, then the bytes read
 * @throws BackupError when the file is damaged, truncated or no backup
 */
export async function checkBackup(
  path: string,
  progress: { begin(bytes: number): void; advance(bytes: number): void },
): Promise<CheckedBackup> {
  const { size } = await stat(path).catch((error: unknown) => {
    throw explainFile(error, path)
  })
  progress.begin(size)
  const rows = new Map<string, number>()
  let manifest = ''
  let uploads = 0
  const visit = async ({ name, content }: Member) => {
    if (name.kind === 'manifest') {
      manifest = await text(content)
      return
    }
    if (name.kind === 'upload') uploads += 1
    let counted = 0
    for await (const bytes of content) counted += rowsIn(bytes)
    if (name.kind === 'part') rows.set(name.table, (rows.get(name.table) ?? 0) + counted)
  }
  await readArchive(path, visit, progress.advance)
  return { path, size, manifest: compared(path, manifest, rows), uploads }
}

/** Parsed only after its checksum was verified. */
function compared(path: string, text: string, rows: ReadonlyMap<string, number>): Manifest {
  const manifest = readManifest(text)
  if (manifest === null) throw new BackupError(`${path} has no list of its contents`)
  const isWhole = manifest.tables.every((table) => (rows.get(table.name) ?? 0) === table.rows)
  if (!isWhole) throw new BackupError(`${path} has a different number of rows than it states`)
  return manifest
}
