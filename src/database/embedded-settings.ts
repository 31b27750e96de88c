/** What suits a small server shared with the forum itself. */
const defaults: Record<string, string> = {
  max_connections: '100',
  shared_buffers: '128MB',
  effective_cache_size: '512MB',
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
