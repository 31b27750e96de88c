import { randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, readdir, rename, rm, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Config } from '../../config.ts'
import { bucketStore } from '../../forum/pictures/bucket.ts'
import type { PictureStore } from '../../forum/pictures/store.ts'
import { BackupError } from './backup-error.ts'

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
   * After the data were committed.
   * @throws BackupError on failure, with the folder they are in
   */
  keep(): Promise<void>
  /** After the restore of the data failed. */
  discard(): Promise<void>
}

/** Files that people uploaded, below DATA_DIR. */
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

/** Restored uploads, in a staging folder until the data are committed. */
export class RestoredUploads implements UploadTarget {
  readonly #folder: string
  readonly #temporary: string
  #isBegun = false

  constructor(dataDir: string) {
    this.#folder = uploadsFolder(dataDir)
    this.#temporary = `${this.#folder}.${randomBytes(4).toString('hex')}.part`
  }

  async refuseUnlessEmpty(): Promise<void> {
    const [there] = await readdir(this.#folder).catch(noneIfMissing)
    if (there !== undefined)
      throw new BackupError(`${this.#folder} holds uploads already (${there}): move that folder away first`)
  }

  async add(path: string, content: AsyncIterable<Uint8Array>): Promise<void> {
    this.#isBegun = true
    const target = join(this.#temporary, path)
    await mkdir(dirname(target), { recursive: true, mode: 0o700 })
    await pipeline(content, createWriteStream(target, { flags: 'wx', mode: 0o600, flush: true }))
  }

  async keep(): Promise<void> {
    if (!this.#isBegun) return
    try {
      await rmdir(this.#folder).catch(() => {})
      await rename(this.#temporary, this.#folder)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      throw new BackupError(
        `the data are restored; the uploads are in ${this.#temporary}, which is yours to rename to uploads: ${reason}`,
        { cause: error },
      )
    }
  }

  async discard(): Promise<void> {
    await rm(this.#temporary, { recursive: true, force: true })
  }
}

function noneIfMissing(error: unknown): [] {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
  throw error
}

/** What the configuration says of it. */
export function uploadPlace({ dataDir, s3Url }: Pick<Config, 'dataDir' | 's3Url'>): UploadPlace {
  return { dataDir, bucket: s3Url === null ? null : bucketStore(s3Url) }
}
