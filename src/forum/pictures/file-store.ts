import { randomBytes } from 'node:crypto'
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type PictureStore, pathOf } from './store.ts'

/** Pictures as files below a folder. */
export function fileStore(folder: string): PictureStore {
  return {
    async put(file, content) {
      const path = join(folder, pathOf(file))
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      const temporary = `${path}.${randomBytes(4).toString('hex')}.part`
      try {
        await write(temporary, content)
        await rename(temporary, path)
      } catch (error) {
        await rm(temporary, { force: true })
        throw error
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

/** On the disk itself before its row is written: a power cut must not leave a picture without its file. */
async function write(path: string, content: Buffer): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(content)
    await file.sync()
  } finally {
    await file.close()
  }
}
