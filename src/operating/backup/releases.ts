import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A small backup of each release, written by that release: see its README.md. */
export const RELEASES = join(import.meta.dirname, '../../../db/releases')

const CHANGELOG = join(import.meta.dirname, '../../../docs/CHANGELOG.md')
const FILE = /^handup-(\d+\.\d+\.\d+)\.backup$/
/** The first release whose backups this version restores: its tables are those that a new database begins with. */
export const FIRST = '0.3.0'

/** @returns release → path of its backup */
export async function storedReleases(folder: string = RELEASES): Promise<Map<string, string>> {
  const found = (await readdir(folder)).map((name) => [FILE.exec(name)?.[1], join(folder, name)] as const)
  return new Map(found.filter((entry): entry is readonly [string, string] => entry[0] !== undefined))
}

/** Versions of the change log, released before `current`, that must have a backup. */
export async function releasesBefore(current: string): Promise<string[]> {
  const text = await readFile(CHANGELOG, 'utf8')
  return [...text.matchAll(/^## (\d+\.\d+\.\d+)$/gm)]
    .map(([, version = '']) => version)
    .filter((version) => compareVersions(version, FIRST) >= 0 && compareVersions(version, current) < 0)
}

/** Negative, 0 or positive, as for sort(). */
export function compareVersions(one: string, other: string): number {
  return one.localeCompare(other, 'en', { numeric: true })
}
