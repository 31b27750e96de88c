import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Database } from '../../database/schema.ts'
import type { Ending } from '../../testing/at-end.ts'
import { NO_PICTURES } from '../../testing/dumps.ts'
import { aFolder } from '../exchange/course-testing.ts'
import { converted as convertedFrom } from './conversion-testing.ts'
import { importSource } from './foreign-import.ts'
import type { Choices, Source } from './source.ts'
import { withSourceFiles } from './source-files.ts'

/** Files of another forum by their names: texts as they are, anything else as JSON. */
export type ForeignFiles = Readonly<Record<string, unknown>>

interface Options {
  readonly choices?: Partial<Choices>
  readonly origin?: string
}

const COURSE = { slug: 'moved', title: 'Moved' }

/** The folder of files that are written to it, which is removed after the test. */
export async function foreignFolder(test: Ending, files: ForeignFiles): Promise<string> {
  const folder = await aFolder(test)
  for (const [name, content] of Object.entries(files)) {
    const isRaw = typeof content === 'string' || content instanceof Uint8Array
    await writeFile(join(folder, name), isRaw ? content : JSON.stringify(content))
  }
  return folder
}

/** The export that files of another forum become, and what is told of them. */
export async function converted(test: Ending, source: Source, files: ForeignFiles, options: Options = {}) {
  const { counts, notes, ...read } = await convertedFrom(test, await foreignFolder(test, files), {
    ...{ source, course: COURSE },
    ...options,
  })
  return { ...read, told: read, skipped: counts, notes: Object.fromEntries(notes) }
}

/** Brings such files into the course `moved`. */
export async function importedInto(
  test: Ending,
  db: Database,
  { source, files, ...options }: Options & { readonly source: Source; readonly files: ForeignFiles },
) {
  const path = await foreignFolder(test, files)
  return importSource(db, NO_PICTURES, { path, source, course: COURSE, ...options })
}

export async function isRecognized(test: Ending, source: Source, files: ForeignFiles): Promise<boolean> {
  return withSourceFiles(await foreignFolder(test, files), (found) => source.recognizes(found))
}
