import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { atEnd, type Ending } from '../../testing/at-end.ts'

/** A folder of migrations for one test: their names without `.sql`, and their texts. */
export async function migrationsOf(test: Ending, texts: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'handup-migrations-'))
  atEnd(test, () => rm(folder, { recursive: true }))
  await writeMigrations(folder, texts)
  return folder
}

export async function writeMigrations(
  folder: string,
  texts: Readonly<Record<string, string>>,
): Promise<void> {
  for (const [name, text] of Object.entries(texts)) await writeFile(join(folder, `${name}.sql`), text)
}
