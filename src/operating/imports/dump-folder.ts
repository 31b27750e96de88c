import { readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { DumpError } from './dump-error.ts'
import type { DumpRow } from './dump-row.ts'
import { dumpRows } from './dump-rows.ts'

const REQUIRED = { users: 'Users.xml', posts: 'Posts.xml', comments: 'Comments.xml' } as const
const OPTIONAL = { posthistory: 'PostHistory.xml' } as const

/** The files of a dump that are read, by their root elements. */
export type DumpFile = keyof typeof REQUIRED | keyof typeof OPTIONAL

/** A folder with the files of one site's dump. */
export interface DumpFolder {
  /** Size of a file in bytes; 0 when the dump does not have it. */
  size(file: DumpFile): number
  /** Files of the dump that are not read: the forum has no equivalent of what they hold. */
  readonly unread: readonly string[]
  /** A file's rows, from the beginning on each call; none when the dump does not have it. */
  rows(file: DumpFile): AsyncIterable<DumpRow>
}

/**
 * Checks which files exist before anything is read.
 * @param onBytes called with the number of bytes of each read
 * @throws DumpError when a required file is missing
 */
export async function openDump(
  folder: string,
  onBytes: (count: number) => void = () => {},
): Promise<DumpFolder> {
  if (!(await isFolder(folder))) throw new DumpError(`${folder} is not a folder with the files of a dump`)
  const sizes = new Map<DumpFile, number>()
  for (const [file, name] of entriesOf(REQUIRED)) {
    const size = await sizeOf(join(folder, name))
    if (size === null) throw new DumpError(`${folder} has no ${name}, which every dump has`)
    sizes.set(file, size)
  }
  for (const [file, name] of entriesOf(OPTIONAL)) sizes.set(file, (await sizeOf(join(folder, name))) ?? 0)
  const names = { ...REQUIRED, ...OPTIONAL }
  const read = new Set<string>(Object.values(names))
  return {
    unread: (await readdir(folder)).filter((name) => name.endsWith('.xml') && !read.has(name)).sort(),
    size: (file) => sizes.get(file) ?? 0,
    rows: (file) =>
      sizes.get(file) === 0 && file in OPTIONAL ? none() : dumpRows(join(folder, names[file]), file, onBytes),
  }
}

function entriesOf<Files extends object>(files: Files): [keyof Files, string][] {
  return Object.entries(files) as [keyof Files, string][]
}

async function* none(): AsyncGenerator<DumpRow> {}

async function isFolder(path: string): Promise<boolean> {
  return (await statOf(path))?.isDirectory() ?? false
}

async function sizeOf(path: string): Promise<number | null> {
  const found = await statOf(path)
  if (found !== null && !found.isFile()) throw new DumpError(`${basename(path)} is not a file`)
  return found?.size ?? null
}

async function statOf(path: string) {
  try {
    return await stat(path)
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return null
    throw error
  }
}
