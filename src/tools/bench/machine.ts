import { readFile } from 'node:fs/promises'
import { cpus, freemem, loadavg, totalmem } from 'node:os'
import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'

const SETTINGS = [
  'shared_buffers',
  'effective_cache_size',
  'work_mem',
  'random_page_cost',
  'jit',
  'max_parallel_workers_per_gather',
  'data_checksums',
]

/** The machine of the measurements, as a list in Markdown. */
export async function machineSection(db: Database): Promise<string> {
  const { rows } = await sql<{
    version: string
  }>`select current_setting('server_version') as version`.execute(db)
  const settings = await sql<{ name: string; value: string }>`
    select name, current_setting(name) as value from unnest(${SETTINGS}::text[]) as name`.execute(db)
  const [processor] = cpus()
  const gigabytes = (bytes: number) => `${(bytes / 2 ** 30).toFixed(0)} GB`
  const load = loadavg().map((value) => value.toFixed(1))
  return [
    `- ${cpus().length} × ${processor?.model ?? 'unknown processor'}, ${gigabytes(totalmem())} of memory (${gigabytes(freemem())} free), ${await systemName()}`,
    `- Node ${process.version}; PostgreSQL ${rows[0]?.version ?? '?'} with ${settings.rows.map(({ name, value }) => `${name} ${value}`).join(', ')}`,
    `- measured on ${new Date().toISOString().slice(0, 10)}; load of the machine over 1, 5 and 15 minutes: ${load.join(', ')}`,
  ].join('\n')
}

async function systemName(): Promise<string> {
  const release = await readFile('/etc/os-release', 'utf8').catch(() => '')
  return /^PRETTY_NAME="(.*)"$/m.exec(release)?.[1] ?? process.platform
}
