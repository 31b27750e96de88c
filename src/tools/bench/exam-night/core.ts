import { readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import type { Database } from '../../../database/schema.ts'
import { runCommand } from '../../../testing/command.ts'
import { familyOf, parentOf } from '../speed/processes.ts'

/** The process that all connections to this PostgreSQL have as their parent. */
export async function postmasterOf(db: Database): Promise<number | null> {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)
  return await parentOf(rows[0]?.pid ?? 0)
}

/** Lets processes and all that they start run on one core. @returns false: there is no taskset here */
export async function bindToCore(pids: readonly number[], core: number): Promise<boolean> {
  const families = (await Promise.all(pids.map(familyOf))).flat()
  const results = await Promise.all(
    families.map((pid) => runCommand('taskset', ['-acp', String(core), String(pid)], {}).catch(() => null)),
  )
  return results.some((result) => result?.code === 0)
}

/**
 * Megabytes of processes with all that they started: pages that several share count once, PostgreSQL's shared buffers not at
 * all. null without Linux's /proc/PID/smaps_rollup.
 */
export async function ownMegabytes(pids: readonly number[]): Promise<number | null> {
  const families = (await Promise.all(pids.map(familyOf))).flat()
  const sizes = await Promise.all(families.map(ownKilobytes))
  const known = sizes.filter((size) => size !== null)
  return known.length === 0 ? null : known.reduce((sum, size) => sum + size, 0) / 1024
}

async function ownKilobytes(pid: number): Promise<number | null> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '')
  const field = (name: string) =>
    Number(new RegExp(`^${name}:\\s*(\\d+) kB$`, 'm').exec(text)?.[1] ?? Number.NaN)
  const size = field('Pss') - field('Pss_Shmem')
  return Number.isNaN(size) ? null : size
}
