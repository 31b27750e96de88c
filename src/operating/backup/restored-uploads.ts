import { randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { access, mkdir, readdir, rename, rm, rmdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { nullIfMissing } from '../../database/embedded/error.ts'
import { syncFolder } from './archive-writer.ts'
import { BackupError } from './backup-error.ts'
import { filesBelow, uploadsFolder } from './uploads.ts'

/** Characters of a backup's identity in the name of a folder. */
const ID_LENGTH = 16

/** What a restore does with uploads; only those of a folder have something to do at other moments. */
export type UploadTarget = Pick<RestoredUploads, 'add' | 'discard'> & Partial<RestoredUploads>

/**
 * Restored uploads. Until all are there they are in a folder beside their place that ends in `.part`; then,
 * until the data are committed and they are moved, in one named after the backup that ends in `.whole`: the
 * next restore of it finds them there.
 */
export class RestoredUploads {
  readonly #folder: string
  #temporary: string
  #isBegun = false

  constructor(dataDir: string) {
    this.#folder = uploadsFolder(dataDir)
    this.#temporary = `${this.#folder}.${randomBytes(4).toString('hex')}.part`
  }

  /** @throws BackupError when there are uploads that would be in the way */
  async refuseUnlessEmpty(): Promise<void> {
    const [there] = (await readdir(this.#folder).catch(nullIfMissing)) ?? []
    if (there !== undefined)
      throw new BackupError(`${this.#folder} already has uploads (${there}): move that folder away first`)
  }

  /** @param path from parseMemberName, which guarantees that it stays inside */
  async add(path: string, content: AsyncIterable<Uint8Array>): Promise<void> {
    this.#isBegun = true
    const target = join(this.#temporary, path)
    await mkdir(dirname(target), { recursive: true, mode: 0o700 })
    await pipeline(content, createWriteStream(target, { flags: 'wx', mode: 0o600, flush: true }))
  }

  /**
   * Everything was added: called before the data are committed, so that a restore that is killed afterwards can be finished.
   * @param backup identifies the backup
   */
  async ready(backup: Buffer): Promise<void> {
    if (!this.#isBegun) return
    const whole = this.#wholeOf(backup)
    // Of a restore of this backup that was killed before its commit.
    await rm(whole, { recursive: true, force: true })
    await rename(this.#temporary, whole)
    this.#temporary = whole
    await syncFolder(dirname(whole))
  }

  /** Whether all of a backup was added by a restore that did not end. */
  async wasReady(backup: Buffer): Promise<boolean> {
    return access(this.#wholeOf(backup)).then(
      () => true,
      () => false,
    )
  }

  /** Does what that restore had left to do. */
  async finish(backup: Buffer): Promise<void> {
    this.#temporary = this.#wholeOf(backup)
    this.#isBegun = true
    await this.keep()
  }

  #wholeOf(backup: Buffer): string {
    return `${this.#folder}.${backup.toString('hex').slice(0, ID_LENGTH)}.whole`
  }

  /**
   * After the data were committed.
   * @throws BackupError on failure, with the folder they are in
   */
  async keep(): Promise<void> {
    if (!this.#isBegun) return
    try {
      await rmdir(this.#folder).catch(() => {})
      await rename(this.#temporary, this.#folder).catch(() => this.#moveBeside())
      await syncFolder(dirname(this.#folder))
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      throw new BackupError(
        `the data are restored; the uploads are in ${this.#temporary}: run the same restore again to move them to uploads: ${reason}`,
        { cause: error },
      )
    }
  }

  /** People may have uploaded new ones to a forum whose restore was killed: names are random, so that none is in the way. */
  async #moveBeside(): Promise<void> {
    for await (const path of filesBelow(this.#temporary)) {
      await mkdir(dirname(join(this.#folder, path)), { recursive: true, mode: 0o700 })
      await rename(join(this.#temporary, path), join(this.#folder, path))
    }
    await rm(this.#temporary, { recursive: true })
  }

  /** After the restore of the data failed. */
  async discard(): Promise<void> {
    await rm(this.#temporary, { recursive: true, force: true })
  }
}

/** Folders beside `uploads` that a restore left which did not end; `isWhole`: the next restore of the same backup goes on with it. */
export async function leftByRestores(dataDir: string) {
  const folder = uploadsFolder(dataDir)
  const names = (await readdir(dirname(folder)).catch(nullIfMissing)) ?? []
  return names
    .filter((name) => name.startsWith(`${basename(folder)}.`) && /\.(?:part|whole)$/.test(name))
    .map((name) => ({ path: join(dirname(folder), name), isWhole: name.endsWith('.whole') }))
}
