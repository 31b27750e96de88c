import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../../config.ts'
import { bucketStore } from '../../forum/pictures/picture-store.ts'
import type { PictureStore } from '../../forum/pictures/store.ts'

/** Where uploads are: below DATA_DIR, or in the bucket that is used instead. */
export interface UploadPlace {
  readonly dataDir: string
  readonly bucket?: PictureStore | null
}

/** What a restore does with uploads before and after it commits the data. */
export interface UploadTarget {
  /** @throws BackupError when there are uploads that would be in the way */
  refuseUnlessEmpty(): Promise<void>
  /** @param path from parseMemberName, which guarantees that it stays inside */
  add(path: string, content: AsyncIterable<Uint8Array>): Promise<void>
  /**
   * Everything was added: called before the data are committed, so that a restore that is killed afterwards can be finished.
   * @param backup identifies the backup
   */
  ready(backup: Buffer): Promise<void>
  /** Whether all of a backup was added by a restore that did not end. */
  wasReady(backup: Buffer): Promise<boolean>
  /** Does what that restore had left to do. */
  finish(backup: Buffer): Promise<void>
  /**
   * After the data were committed.
   * @throws BackupError on failure, with the folder they are in
   */
  keep(): Promise<void>
  /** After the restore of the data failed. */
  discard(): Promise<void>
}

export function uploadsFolder(dataDir: string): string {
  return join(dataDir, 'uploads')
}

/** Relative paths of all files below a folder, with `/` as separator; none when the folder does not exist. */
export async function* filesBelow(folder: string, under = ''): AsyncGenerator<string> {
  const entries = await readdir(join(folder, under), { withFileTypes: true }).catch(noneIfMissing)
  for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    const path = under === '' ? entry.name : `${under}/${entry.name}`
    if (entry.isDirectory()) yield* filesBelow(folder, path)
    else if (entry.isFile()) yield path
  }
}

export function noneIfMissing(error: unknown): [] {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
  throw error
}

export function uploadPlace({ dataDir, s3Url }: Pick<Config, 'dataDir' | 's3Url'>): UploadPlace {
  return { dataDir, bucket: s3Url === null ? null : bucketStore(s3Url) }
}
