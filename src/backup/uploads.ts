import { randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, readdir, rename, rm, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { BackupError } from './backup-error.ts'

/** What people uploaded, below DATA_DIR. */
export function uploadsFolder(dataDir: string): string {
  return join(dataDir, 'uploads')
}

/** Paths of all files below a folder, relative to it, with `/` between; none where there is no such folder. */
export async function* filesBelow(folder: string, under = ''): AsyncGenerator<string> {
  const entries = await readdir(join(folder, under), { withFileTypes: true }).catch(noneIfMissing)
  for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    const path = under === '' ? entry.name : `${under}/${entry.name}`
    if (entry.isDirectory()) yield* filesBelow(folder, path)
    else if (entry.isFile()) yield path
  }
}

/** Uploads that come back: in a folder of their own until everything else is there too. */
export class RestoredUploads {
  readonly #folder: string
  readonly #temporary: string
  #isBegun = false

  constructor(dataDir: string) {
    this.#folder = uploadsFolder(dataDir)
    this.#temporary = `${this.#folder}.${randomBytes(4).toString('hex')}.part`
  }

  /** @throws BackupError when there are uploads already, or folders for them: these would stand in the way */
  async refuseUnlessEmpty(): Promise<void> {
    const [there] = await readdir(this.#folder).catch(noneIfMissing)
    if (there !== undefined)
      throw new BackupError(`${this.#folder} holds uploads already (${there}): move that folder away first`)
  }

  /** @param path one of parseMemberName, which stays inside */
  async add(path: string, content: AsyncIterable<Uint8Array>): Promise<void> {
    this.#isBegun = true
    const target = join(this.#temporary, path)
    await mkdir(dirname(target), { recursive: true, mode: 0o700 })
    await pipeline(content, createWriteStream(target, { flags: 'wx', mode: 0o600, flush: true }))
  }

  /**
   * Puts them where they belong, once the data that speak of them are there for good.
   * @throws BackupError when that fails: where they are then
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

  /** Removes them: the data did not come. */
  async discard(): Promise<void> {
    await rm(this.#temporary, { recursive: true, force: true })
  }
}

function noneIfMissing(error: unknown): [] {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
  throw error
}
