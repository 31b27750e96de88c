import { totalmem } from 'node:os'

const MEGABYTE = 2 ** 20

/** The memory of the machine, or of the container, in MB. */
const memory = Math.floor(Math.min(totalmem(), process.constrainedMemory() || totalmem()) / MEGABYTE)

/**
 * An eighth of the memory for PostgreSQL's own cache, since the forum shares the machine (its documentation advises a
 * quarter where nothing else runs); pages are only taken when they are used.
 */
const sharedBuffers = Math.min(4096, Math.max(128, Math.floor(memory / 8)))

/** What suits a server shared with the forum itself. */
const defaults: Record<string, string> = {
  max_connections: '100',
  shared_buffers: `${sharedBuffers}MB`,
  effective_cache_size: `${Math.max(512, Math.floor(memory / 2))}MB`,
  maintenance_work_mem: '64MB',
  max_wal_size: '512MB',
  random_page_cost: '1.1', // disks are SSDs
  jit: 'off', // pages' queries are short
  timezone: 'UTC',
  log_timezone: 'UTC',
  lc_messages: 'C', // our own reading of the log depends on it
  log_line_prefix: '%m [%p] %a ',
  log_checkpoints: 'off',
  log_error_verbosity: 'terse', // without DETAIL, which would quote people's texts and addresses
}

/**
 * The server's command line. No setting here is secret: process listings show them.
 * @param settings win over the defaults, never over what keeps the server on loopback
 */
export function serverArguments(cluster: string, port: number, settings: Record<string, string>): string[] {
  const all = {
    ...defaults,
    ...settings,
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    logging_collector: 'off',
    log_destination: 'stderr',
  }
  return ['-D', cluster, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
}
