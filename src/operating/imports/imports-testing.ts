import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Database } from '../../database/schema.ts'
import type { PictureStore } from '../../forum/pictures/store.ts'
import type { Ending } from '../../testing/at-end.ts'
import { NO_PICTURES, skips } from '../../testing/dumps.ts'
import { aZip } from '../../testing/zips.ts'
import { aFolder, readExport } from '../exchange/course-testing.ts'
import { type ConversionOptions, convertSource, importSource } from './foreign-import.ts'
import { withSourceFiles } from './source-files.ts'
import { SOURCES } from './sources.ts'

/** Files of another forum by their names: texts and bytes as they are, anything else as JSON. */
export type ForeignFiles = Readonly<Record<string, unknown>>

type Options = Partial<ConversionOptions>

export const COURSE = { slug: 'moved', title: 'Moved' }

const bytesOf = (content: unknown): Buffer =>
  content instanceof Uint8Array
    ? Buffer.from(content)
    : Buffer.from(typeof content === 'string' ? content : JSON.stringify(content))

/** A zip with such files. @returns its path */
export async function aZipOf(test: Ending, files: ForeignFiles): Promise<string> {
  const path = join(await aFolder(test), 'export.zip')
  const entries = Object.entries(files).map(([name, content]) => ({ name, content: bytesOf(content) }))
  await writeFile(path, aZip(entries))
  return path
}

/** Where such files are: a path as it is, or a folder that is removed after the test. */
async function pathOf(test: Ending, files: string | ForeignFiles): Promise<string> {
  if (typeof files === 'string') return files
  const folder = await aFolder(test)
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), bytesOf(content))
  return folder
}

/** The export that such files become, told by what is in them unless said: its lines, all of its text, and what is told of it. */
export async function converted(test: Ending, files: string | ForeignFiles, options: Options = {}) {
  const to = join(await aFolder(test), 'to')
  const path = await pathOf(test, files)
  const { tally, ...told } = await convertSource(to, { path, source: null, course: COURSE, ...options })
  return { ...told, ...(await readExport(to)), counts: tally.counts, notes: Object.fromEntries(tally.notes) }
}

/** Brings such files into the course `moved`. */
export async function importedInto(
  test: Ending,
  db: Database,
  files: string | ForeignFiles,
  { store = NO_PICTURES, ...options }: Options & { readonly store?: PictureStore } = {},
) {
  const path = await pathOf(test, files)
  return importSource(db, store, { path, source: null, course: COURSE, ...options })
}

/** The names of those that such files are taken for. */
export async function recognizedBy(test: Ending, files: string | ForeignFiles): Promise<string[]> {
  return withSourceFiles(await pathOf(test, files), async (found) => {
    const areOf = await Promise.all(SOURCES.map((source) => source.recognizes(found)))
    return SOURCES.filter((_, index) => areOf[index]).map(({ name }) => name)
  })
}

/** Of each kind what was left out, by reason. */
export const allSkips = (counts: Awaited<ReturnType<typeof converted>>['counts']) =>
  Object.fromEntries(Object.entries(counts).map(([kind, count]) => [kind, skips(count)]))
