import { mkdir, readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { runCommand } from '../../../testing/command.ts'

/** Where programs are unpacked that the machine lacks. */
export const PROGRAMS = resolve('.data/bench')

export interface Program {
  readonly path: string
  readonly environment: Readonly<Record<string, string>>
}

/**
 * A program of the machine, or Debian's, unpacked into .data/bench without installing or starting anything.
 * @param packages with the program and its libraries
 * @returns null when there is neither
 */
export async function findProgram(name: string, packages: readonly string[]): Promise<Program | null> {
  for (const path of [name, `/usr/sbin/${name}`]) {
    if (await starts({ path, environment: {} })) return { path, environment: {} }
  }
  const folder = join(PROGRAMS, name)
  const known = await unpacked(folder, name)
  if (known !== null) return known
  await mkdir(folder, { recursive: true })
  const script =
    'cd "$1" && shift && apt-get download "$@" && for file in *.deb; do dpkg-deb -x "$file" .; done'
  await runCommand('sh', ['-c', script, 'sh', folder, ...packages])
  return unpacked(folder, name)
}

async function unpacked(folder: string, name: string): Promise<Program | null> {
  const libraries = (await readdir(join(folder, 'usr/lib')).catch(() => [])).map((one) =>
    join(folder, 'usr/lib', one),
  )
  const environment = { LD_LIBRARY_PATH: libraries.join(':') }
  for (const place of ['usr/bin', 'usr/sbin']) {
    const program = { path: join(folder, place, name), environment }
    if (await starts(program)) return program
  }
  return null
}

/** Whether it can print its version: with a library missing the loader exits with 127. */
async function starts({ path, environment }: Program): Promise<boolean> {
  const { code } = await runCommand(path, ['-v'], { environment })
  return code !== null && code !== 127
}
