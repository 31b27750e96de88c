import { chmod, glob, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { prepareBinaries } from '../../database/embedded/binaries.ts'
import { chooseServerUser } from '../../database/embedded/process.ts'
import { findProgram } from '../bench/speed/programs.ts'
import { CannotRun } from './fault.ts'

/** A clock for child processes that can be set while they run. */
export interface ShiftedClock {
  /** For the environment of a process. */
  readonly variables: Readonly<Record<string, string>>
  /** @param seconds offset from the true time */
  set(seconds: number): Promise<void>
}

/**
 * Uses libfaketime, Debian's package, unpacked into .data/bench if the machine lacks it. Timers are not affected: only
 * the time of day jumps, as when an operator or a broken time server sets it.
 * @throws CannotRun where it is not available
 */
export async function aShiftedClock(folder: string, name: string): Promise<ShiftedClock> {
  const library = await findLibrary()
  const file = join(folder, name)
  const set = (seconds: number) => writeFile(file, `${seconds < 0 ? '-' : '+'}${Math.abs(seconds)}\n`)
  await set(0)
  await chmod(file, 0o644)
  const variables = {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    FAKETIME_DISABLE_SHM: '1',
  }
  return { variables, set }
}

/**
 * PostgreSQL's programs with the server on this clock.
 * @returns a folder for `native`
 */
export async function serverWithClock(folder: string, { variables }: ShiftedClock): Promise<string> {
  const { initdb, postgres } = await prepareBinaries(await chooseServerUser(null, []), '/var/lib/handup', [])
  const native = join(folder, 'native')
  await mkdir(join(native, 'bin'), { recursive: true })
  const environment = Object.entries(variables).map(([name, value]) => `${name}='${value}'`)
  const programs = {
    initdb: `exec '${initdb}' "$@"`,
    postgres: `${environment.join(' ')} exec '${postgres}' "$@"`,
  }
  for (const [name, line] of Object.entries(programs))
    await writeFile(join(native, 'bin', name), `#!/bin/sh\n${line}\n`, { mode: 0o755 })
  return native
}

async function findLibrary(): Promise<string> {
  const program = await findProgram('faketime', ['faketime', 'libfaketime'])
  const near = program === null ? '/usr' : join(dirname(program.path), '..')
  for (const place of [near, '/usr'])
    for await (const path of glob(join(place, 'lib/*/faketime/libfaketimeMT.so.1'))) return path
  throw new CannotRun('libfaketime is not here, and `apt-get download libfaketime` brings none')
}
