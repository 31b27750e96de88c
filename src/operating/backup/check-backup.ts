import { stat } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { type Member, readArchive } from './archive-reader.ts'
import { BackupError, explainFile } from './backup-error.ts'
import { readManifest, rowsIn } from './manifest.ts'

export type CheckedBackup = Awaited<ReturnType<typeof checkBackup>>

/**
 * Reads all of a backup without changing anything, and verifies its checksum and each table's number of rows.
 * @param progress gets the file's size, then the bytes read
 * @returns `size` of the file in bytes, `uploads`: how many
 * @throws BackupError when the file is damaged, truncated or no backup
 */
export async function checkBackup(
  path: string,
  progress: { begin(bytes: number): void; advance(bytes: number): void },
) {
  const { size } = await stat(path).catch((error: unknown) => {
    throw explainFile(error, path)
  })
  progress.begin(size)
  const rows = new Map<string, number>()
  let list = ''
  let uploads = 0
  const visit = async ({ name, content }: Member) => {
    if (name.kind === 'manifest') {
      list = await text(content)
      return
    }
    if (name.kind === 'upload') uploads += 1
    let counted = 0
    for await (const bytes of content) counted += rowsIn(bytes)
    if (name.kind === 'part') rows.set(name.table, (rows.get(name.table) ?? 0) + counted)
  }
  await readArchive(path, visit, progress.advance)
  // Parsed only after the checksum was verified.
  const manifest = readManifest(list)
  if (manifest === null) throw new BackupError(`${path} has no list of its contents`)
  const isWhole = manifest.tables.every((table) => (rows.get(table.name) ?? 0) === table.rows)
  if (!isWhole) throw new BackupError(`${path} has a different number of rows than it states`)
  return { path, size, manifest, uploads }
}
