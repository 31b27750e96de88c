import { randomBytes } from 'node:crypto'
import { constants, copyFile, type FileHandle, mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'

/** Where the files of pictures are. Names are of our own making. */
export interface PictureStore {
  put(file: string, content: Buffer): Promise<void>
  /** null: there is no such file. */
  get(file: string): Promise<Buffer | null>
  /** No file of that name is as good as a removed one. */
  remove(file: string): Promise<void>
}

/** Files of any size beside the pictures, such as exports: never in memory as a whole. */
export interface FileStore extends PictureStore {
  /** @param path of the file on this machine, which stays */
  putFile(file: string, path: string): Promise<void>
  /** null: there is no such file. */
  stream(file: string): Promise<Readable | null>
}

/** The store cannot be reached, or does not do what it is asked: later it may. */
export class StoreUnavailable extends Error {}

/** The path of a file, the same in a folder and in a bucket: below two characters of its name, so that no folder gets huge. */
export function pathOf(file: string): string {
  return `${file.slice(0, 2)}/${file}`
}

/** The disk is full, or takes nothing any more. */
const UNWRITABLE = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EMFILE', 'ENFILE'])

export function fileStore(folder: string): FileStore {
  const placeOf = (file: string) => join(folder, pathOf(file))
  return {
    put: (file, content) => put(placeOf(file), (path) => write(path, content)),
    putFile: (file, path) => put(placeOf(file), (target) => copy(path, target)),
    get: (file) => orNull(readFile(placeOf(file))),
    async stream(file) {
      const opened = await orNull<FileHandle>(open(placeOf(file)))
      return opened?.createReadStream() ?? null
    },
    remove: (file) => rm(placeOf(file), { force: true }),
  }
}

/** null: there is no such file. */
async function orNull<Result>(reading: Promise<Result>): Promise<Result | null> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

async function put(path: string, fill: (path: string) => Promise<void>): Promise<void> {
  try {
    await replace(path, fill)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    throw UNWRITABLE.has(code) ? new StoreUnavailable('the disk takes no files', { cause: error }) : error
  }
}

async function replace(path: string, fill: (path: string) => Promise<void>): Promise<void> {
  const folder = dirname(path)
  const made = await mkdir(folder, { recursive: true, mode: 0o700 })
  const temporary = `${path}.${randomBytes(4).toString('hex')}.part`
  try {
    await fill(temporary)
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

/** The same of a file that is there already. */
async function copy(source: string, path: string): Promise<void> {
  await copyFile(source, path, constants.COPYFILE_EXCL)
  const file = await open(path, 'r+')
  try {
    await file.chmod(0o600)
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
