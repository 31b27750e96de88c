import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { serverArguments } from './postmaster.ts'
import { aFolder } from './testing.ts'

const ROOT = join(import.meta.dirname, '../../..')
/** What the image sets itself or only the embedded server needs. */
const EMBEDDED_ONLY = [
  ...['max_connections', 'timezone', 'log_timezone', 'lc_messages', 'log_line_prefix', 'log_checkpoints'],
  ...['log_error_verbosity', 'unix_socket_directories', 'listen_addresses', 'port', 'logging_collector'],
  'log_destination',
]

test('the PostgreSQL of docker-compose.yml is tuned as the embedded one, to its memory', async (t) => {
  const folder = await aFolder(t)
  const write = (name: string, text: string) => writeFile(join(folder, name), text)
  await write('docker-entrypoint.sh', '#!/bin/sh\nprintf "%s\\n" "$@"\n')
  await chmod(join(folder, 'docker-entrypoint.sh'), 0o755)
  await write('meminfo', 'MemTotal:       16384000 kB\nMemFree:        100 kB\n')
  const started = async (limit: string, ...more: string[]) => {
    await write('limit', limit)
    const { stdout } = await promisify(execFile)('sh', [join(ROOT, 'docker/tuned-postgres.sh'), ...more], {
      env: {
        PATH: `${folder}:${process.env.PATH}`,
        ...{ MEMINFO: join(folder, 'meminfo'), MEMORY_LIMIT: join(folder, 'limit') },
      },
    })
    return settingsIn(stdout.trim().split('\n'))
  }
  const tuned = await started('max\n')
  const embedded = settingsIn(serverArguments('', 1, {}))
  const names = [...embedded.keys()].filter((name) => !EMBEDDED_ONLY.includes(name))
  assert.deepEqual([...tuned.keys()].sort(), names.sort())
  for (const name of names)
    if (!['shared_buffers', 'effective_cache_size'].includes(name))
      assert.equal(tuned.get(name), embedded.get(name), name)
  assert.deepEqual(
    [tuned.get('shared_buffers'), tuned.get('effective_cache_size')],
    ['2000MB', '8000MB'],
    'an eighth and a half',
  )
  const limited = await started(String(4 * 2 ** 30), '-c', 'jit=on')
  assert.deepEqual([limited.get('shared_buffers'), limited.get('jit')], ['512MB', 'on'])
  assert.equal((await started(String(2 ** 29))).get('shared_buffers'), '128MB')
})

test('docker-compose.yml hands every variable of the forum on, and publishes the port of email where it is set', async () => {
  const [compose, example, inbound] = await Promise.all(
    ['docker-compose.yml', '.env.example', 'docker/inbound.yml'].map((file) =>
      readFile(join(ROOT, file), 'utf8'),
    ),
  )
  const table = await readFile(join(ROOT, 'docs/configuration.md'), 'utf8')
  const variables = [...table.matchAll(/`([A-Z][A-Z0-9_]+)`/g)].map(([, name]) => name ?? '')
  // Where the container listens and keeps things is its image's; the others are for benchmarks or the embedded database.
  const fixed = new Set([
    'PORT',
    'HOST',
    'DATABASE_URL',
    'DATA_DIR',
    'BACKUP_DIR',
    'METRICS_HOST',
    'SAMPLE',
    'PAGE_CACHE',
    'SECRET',
    'BASE_URL',
  ])
  for (const name of new Set(variables.filter((name) => !fixed.has(name)))) {
    assert.match(compose ?? '', new RegExp(`^ {6}${name}: `, 'm'), name)
    assert.match(example ?? '', new RegExp(`^#?${name}=`, 'm'), name)
  }
  assert.match(inbound ?? '', /:\$\{INBOUND_PORT:\?/)
})

function settingsIn(parts: readonly string[]): Map<string, string> {
  const pairs = parts.filter((_part, index) => parts[index - 1] === '-c').map((part) => part.split('='))
  return new Map(pairs.map(([name = '', ...value]) => [name, value.join('=')]))
}
