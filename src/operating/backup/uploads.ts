import { randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, readdir, rename, rm, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { BackupError } from './backup-error.ts'

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
export class RestoredUploads {
  readonly #folder: string
  readonly #temporary: string
  #isBegun = false

  constructor(dataDir: string) {
    this.#folder = uploadsFolder(dataDir)
    this.#temporary = `${this.#folder}.${randomBytes(4).toString('hex')}.part`
  }

  /** @throws BackupError when there are uploads, or folders for them, which would be in the way */
  async refuseUnlessEmpty(): Promise<void> {
    const [there] = await readdir(this.#folder).catch(noneIfMissing)
    if (there !== undefined)
      throw new BackupError(`${this.#folder} holds uploads already (${there}): move that folder away first`)
  }

  /** @param path from parseMemberName, which guarantees that it stays inside */
  async add(path: string, content: AsyncIterable<Uint8Array>): Promise<void> {
    this.#isBegun = true
    const target = join(this.#temporary, path)
    await mkdir(dirname(target), { recursive: true, mode: 0o700 })
    await pipeline(content, createWriteStream(target, { flags: 'wx', mode: 0o600, flush: true }))
  }

  /**
   * Moves them into place after the data were committed.
   * @throws BackupError on failure, with the folder they are in
   */
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

  /** Removes them after the restore of the data failed. */
  async discard(): Promise<void> {
    await rm(this.#temporary, { recursive: true, force: true })
  }
}

function noneIfMissing(error: unknown): [] {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
  throw error
}
