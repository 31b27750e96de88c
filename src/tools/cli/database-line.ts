import { readConfig } from '../../config.ts'

/**
 * Names the database that a command uses when the environment names none: a forum started with DATA_DIR has another one.
 * @returns null when DATA_DIR or DATABASE_URL is set
 */
export function databaseLine(environment: Readonly<Record<string, string | undefined>>): string | null {
  if (environment.DATA_DIR || environment.DATABASE_URL) return null
  // Neither is set, so the folder is the default one, whatever else is set or invalid.
  const { dataDir } = readConfig({})
  return `handup: database: embedded, in ${dataDir} (set DATA_DIR or DATABASE_URL for another)`
}

/** Prints that line on standard error: standard output may be read by a program. */
export function sayDatabase(environment: Readonly<Record<string, string | undefined>>): void {
  const line = databaseLine(environment)
  if (line !== null) console.error(line)
}
