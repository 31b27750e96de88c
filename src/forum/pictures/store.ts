import { randomBytes } from 'node:crypto'
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** Where the files of pictures are. Names are of our own making. */
export interface PictureStore {
  put(file: string, content: Buffer): Promise<void>
  /** null: there is no such file. */
  get(file: string): Promise<Buffer | null>
  /** No file of that name is as good as a removed one. */
  remove(file: string): Promise<void>
}

/** The store cannot be reached, or does not do what it is asked: later it may. */
export class StoreUnavailable extends Error {}

/** The path of a file, the same in a folder and in a bucket: below two characters of its name, so that no folder gets huge. */
export function pathOf(file: string): string {
  return `${file.slice(0, 2)}/${file}`
}

/** The disk is full, or takes nothing any more. */
const UNWRITABLE = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EMFILE', 'ENFILE'])

export function fileStore(folder: string): PictureStore {
  return {
    async put(file, content) {
      try {
        await put(join(folder, pathOf(file)), content)
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? String(error.code) : ''
        throw UNWRITABLE.has(code)
          ? new StoreUnavailable('the disk takes no pictures', { cause: error })
          : error
      }
    },
    async get(file) {
      try {
        return await readFile(join(folder, pathOf(file)))
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
        throw error
      }
    },
    remove: (file) => rm(join(folder, pathOf(file)), { force: true }),
  }
}

async function put(path: string, content: Buffer): Promise<void> {
  const folder = dirname(path)
  const made = await mkdir(folder, { recursive: true, mode: 0o700 })
  const temporary = `${path}.${randomBytes(4).toString('hex')}.part`
  try {
    await write(temporary, content)
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  await syncFolder(folder)
  if (made !== undefined) await syncFolder(dirname(folder))
}

/** On the disk itself before its row is of use: a power cut must not leave a picture without its file. */
async function write(path: string, content: Buffer): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(content)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** A new name lasts once its folder is flushed. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path)
  await folder.sync().finally(() => folder.close())
}
