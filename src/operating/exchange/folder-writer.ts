import { createWriteStream } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createZstdCompress } from 'node:zlib'
import { packTar } from 'modern-tar/fs'
import type { z } from 'zod'
import { ExchangeError } from './exchange-error.ts'
import { type COURSE, fileOf, LINE_KINDS, type LineKind, type Written } from './format.ts'

/** What a converter writes an export with. */
export interface ExchangeWriter {
  course(course: z.input<typeof COURSE>): Promise<void>
  lines<Kind extends LineKind>(kind: Kind, lines: readonly Written<Kind>[]): Promise<void>
  /** @param path of a line of `files` */
  blob(path: string, content: Uint8Array): Promise<void>
}

const COMPRESSED = '.tar.zst'

/**
 * Writes an export to a folder, or packs it into one file where `path` ends in `.tar.zst`. It is there whole or not at all, readable by
 * its owner alone: it holds names and addresses.
 * @param path of what is not there yet
 */
export async function writeExchange<Result>(
  path: string,
  fill: (writer: ExchangeWriter) => Promise<Result>,
): Promise<Result> {
  const isPacked = path.endsWith(COMPRESSED)
  const folder = `${path}.part`
  const packed = `${path}.packed.part`
  try {
    await mkdir(folder, { mode: 0o700 }).catch((error) => refuseBusy(error, folder))
    const result = await fillFolder(folder, fill)
    if (!isPacked) await rename(folder, path)
    else {
      await pack(folder, packed)
      await rename(packed, path)
    }
    return result
  } finally {
    await rm(folder, { recursive: true, force: true })
    await rm(packed, { force: true })
  }
}

function refuseBusy(error: unknown, folder: string): never {
  if (error instanceof Error && 'code' in error && error.code === 'EEXIST')
    throw new ExchangeError(`${folder} is there: another export writes it, or one was killed. Delete it then`)
  throw error
}

async function fillFolder<Result>(folder: string, fill: (writer: ExchangeWriter) => Promise<Result>) {
  const files = new Map<LineKind, FileHandle>()
  try {
    for (const kind of LINE_KINDS) files.set(kind, await open(join(folder, fileOf(kind)), 'wx', 0o600))
    return await fill({
      course: (course) =>
        writeFile(join(folder, 'course.json'), `${JSON.stringify(course, null, 2)}\n`, { mode: 0o600 }),
      lines: async (kind, lines) => {
        await files.get(kind)?.appendFile(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
      },
      blob: async (name, content) => {
        const path = join(folder, name)
        await mkdir(dirname(path), { recursive: true, mode: 0o700 })
        await writeFile(path, content, { mode: 0o600 })
      },
    })
  } finally {
    for (const file of files.values()) await file.close()
  }
}

/** Stream by stream, however much there is. */
async function pack(folder: string, path: string): Promise<void> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true })
  const sources = names
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort()
    .map((source) => ({
      type: 'file' as const,
      source,
      target: source.slice(folder.length + 1),
      mode: 0o600,
    }))
  await pipeline(
    packTar(sources),
    createZstdCompress(),
    createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }),
  )
}
