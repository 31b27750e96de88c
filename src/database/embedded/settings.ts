import { totalmem } from 'node:os'

/** The memory of the machine or container in MB. */
const memory = Math.floor(Math.min(totalmem(), process.constrainedMemory() || totalmem()) / 2 ** 20)

/** Defaults for a server that shares the machine with the forum. */
const defaults: Record<string, string> = {
  max_connections: '100',
  // An eighth (PostgreSQL's documentation advises a quarter on a dedicated machine); allocated only when they are used.
  shared_buffers: `${Math.min(4096, Math.max(128, Math.floor(memory / 8)))}MB`,
  effective_cache_size: `${Math.max(512, Math.floor(memory / 2))}MB`,
  maintenance_work_mem: '64MB',
  max_wal_size: '512MB',
  random_page_cost: '1.1', // disks are SSDs
  autovacuum_vacuum_cost_delay: '20ms', // pages share a core with it; the default before PostgreSQL 12
  jit: 'off', // pages' queries are short
  timezone: 'UTC',
  log_timezone: 'UTC',
  lc_messages: 'C', // our parser of the log depends on it
  log_line_prefix: '%m [%p] %a ',
  log_checkpoints: 'off',
  log_error_verbosity: 'terse', // without DETAIL, which would quote people's texts and addresses
  unix_socket_directories: '',
}

/**
 * The server's command line. No setting is secret: process listings show them.
 * @param settings override the defaults, but not the restriction to loopback
 */
export function serverArguments(cluster: string, port: number, settings: Record<string, string>): string[] {
  const fixed = { listen_addresses: '127.0.0.1', port, logging_collector: 'off', log_destination: 'stderr' }
  const all = Object.entries({ ...defaults, ...settings, ...fixed })
  return ['-D', cluster, ...all.flatMap(([name, value]) => ['-c', `${name}=${value}`])]
}
