import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Ending } from '../../testing/at-end.ts'
import { aZip } from '../../testing/zips.ts'
import { aFolder, readExport } from '../exchange/course-testing.ts'
import { type ConversionOptions, convertSource } from './foreign-import.ts'

/** A zip with these files. @returns its path */
export async function aZipOf(
  test: Ending,
  files: Readonly<Record<string, string | Buffer>>,
): Promise<string> {
  const path = join(await aFolder(test), 'export.zip')
  const entries = Object.entries(files).map(([name, content]) => ({ name, content }))
  await writeFile(path, aZip(entries))
  return path
}

export const COURSE = { slug: 'rest', title: 'REST' }

/** What becomes of such a zip, told by what is in it: the lines of the export, all of its text, and the tally. */
export async function converted(test: Ending, path: string, options: Partial<ConversionOptions> = {}) {
  const to = join(await aFolder(test), 'to')
  const told = await convertSource(to, { path, source: null, course: COURSE, ...options })
  const { counts, notes } = told.tally
  return { ...told, ...(await readExport(to)), counts, notes }
}
