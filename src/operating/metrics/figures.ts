import { statfs } from 'node:fs/promises'
import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { type Aggregator, Counter, Gauge, type Registry } from 'prom-client'
import { useOf } from '../../database/connection.ts'
import type { Database } from '../../database/schema.ts'
import { countJobs, type Waiting } from '../../jobs/table.ts'
import { eventCounts } from '../../kernel/audit/note.ts'
import type { ScopedCache } from '../../web/scoped-cache/scoped-cache.ts'
import { keptBackups } from '../backup/regular-backups.ts'
import { handupVersion } from '../version.ts'

type Series = readonly (readonly [labels: Readonly<Record<string, string>>, value: number])[]

/**
 * A figure that is read at scrape time. The values of several processes are added, unless the aggregator says
 * otherwise.
 * @param labels names of the labels; a series that is not read is left out
 */
function figure(
  registry: Registry,
  Metric: typeof Counter | typeof Gauge,
  [name, help, ...labels]: readonly [name: string, help: string, ...labels: string[]],
  read: () => Series | Promise<Series>,
  aggregator: Aggregator = 'sum',
): void {
  const metric = new Metric({
    ...{ name, help, labelNames: labels, registers: [registry], aggregator },
    async collect() {
      const series = await read()
      metric.reset()
      if (labels.length === 0) metric.remove()
      for (const [values, value] of series) metric.inc(values, value)
    },
  })
}

export async function registerFigures(app: FastifyInstance, registry: Registry): Promise<void> {
  const gauge = (name: string, help: string, read: () => number, aggregator?: Aggregator) =>
    figure(registry, Gauge, [name, help], () => [[{}, read()]], aggregator)
  gauge('handup_database_connections', 'Open connections to the database', () => useOf(app.db).open)
  gauge('handup_database_connections_idle', 'Those that nobody uses', () => useOf(app.db).idle)
  gauge('handup_database_waiting', 'Queries that wait for a connection', () => useOf(app.db).waiting)
  const isLive = () => (app.changes?.isLive === true ? 1 : 0)
  gauge('handup_changes_live', '0: some process has lost its change feed, and caches nothing', isLive, 'min')
  gauge(
    'handup_streams_open',
    'Open pages that are told what is new, and programs that are told of events',
    () => app.openStreams() + app.eventStreams.size,
  )
  registerPageCacheFigures(app, registry)
  await registerJobFigures(app, registry)
  registerEventFigures(registry)
  registerPlaceFigures(app, registry)
  const labels = { version: await handupVersion(), node: process.versions.node }
  const info = ['handup_info', 'The version that runs', 'version', 'node'] as const
  figure(registry, Gauge, info, () => [[labels, 1]], 'first')
}

/** Events that alerts are about: they have a zero before they first happen, so that their first one is a change. */
const ALWAYS = [
  ...['sign-in-refused', 'sign-in-limited', 'limited', 'backup-failed', 'backup-incomplete', 'mail-dropped'],
  'database-away',
] as const

const MAILS: Readonly<Record<string, (event: string, about: string) => boolean>> = {
  sent: (event) => event === 'mail-sent',
  delayed: (event, about) => event === 'job-failed' && about === 'mail',
  refused: (event, about) => event === 'job-failed' && about === 'mail given up',
  returned: (event, about) => event === 'mail-received' && about === 'returned',
}

/** Events of the log (docs/events.md), and what became of mails. */
function registerEventFigures(registry: Registry): void {
  figure(
    registry,
    Counter,
    [
      'handup_events_total',
      'Events of the log by name: sign-in-refused, limited (answered with 429), backup-failed, …',
      'event',
    ],
    () => [
      ...ALWAYS.map((event) => [{ event }, 0] as const),
      ...[...eventCounts.values()].map(({ event, count }) => [{ event }, count] as const),
    ],
  )
  figure(
    registry,
    Counter,
    [
      'handup_mails_total',
      'Emails: sent (taken by the mail server), delayed (tried again), refused for good, returned later',
      'outcome',
    ],
    () =>
      Object.entries(MAILS).map(([outcome, isIt]) => {
        const counted = [...eventCounts.values()].filter(({ event, about }) => isIt(event, about))
        return [{ outcome }, counted.reduce((sum, { count }) => sum + count, 0)]
      }),
  )
}

const STATES = [
  ['waiting', ({ waiting }) => waiting],
  ['failing', ({ failing }) => failing],
  ['failed', ({ givenUp }) => givenUp],
] as const satisfies (readonly [string, (job: Waiting) => number])[]

/**
 * Figures about rows, which are the same for every process and every instance on one database: their label says which database, so
 * that `max by (database, kind, state)` has each once. While the database is unavailable they are left out.
 */
async function registerJobFigures(app: FastifyInstance, registry: Registry): Promise<void> {
  const database = await nameOf(app.db)
  const look = () =>
    countJobs(app.db).then(
      (counts) => withIdle(counts, app.jobs.kinds),
      () => [],
    )
  figure(
    registry,
    Gauge,
    [
      'handup_jobs',
      'Jobs not done: waiting for their (next) try, of these failing ones, and given up; the same in every instance on a database',
      ...['database', 'kind', 'state'],
    ],
    async () =>
      (await look()).flatMap((job) =>
        STATES.map(([state, count]) => [{ database, kind: job.kind, state }, count(job)] as const),
      ),
    'max',
  )
  figure(
    registry,
    Gauge,
    [
      'handup_jobs_oldest_seconds',
      'Since when the oldest job that waits has waited',
      ...['database', 'kind'],
    ],
    async () => (await look()).map(({ kind, oldest }) => [{ database, kind }, oldest]),
    'max',
  )
}

/** Kinds of which nothing waits have their zeros. */
function withIdle(counts: readonly Waiting[], kinds: readonly string[]): Waiting[] {
  const known = new Set(counts.map(({ kind }) => kind))
  const idle = kinds.filter((kind) => !known.has(kind))
  return [...counts, ...idle.map((kind) => ({ kind, waiting: 0, failing: 0, givenUp: 0, oldest: 0 }))]
}

/** The same from every machine: a server may have several addresses. Managed servers may keep their identifier to themselves. */
async function nameOf(db: Database): Promise<string> {
  const own = await db
    .selectNoFrom(sql<string>`current_database()`.as('name'))
    .executeTakeFirst()
    .catch(() => undefined)
  const { rows } = await sql<{ id: string }>`select system_identifier::text as id from pg_control_system()`
    .execute(db)
    .catch(() => ({ rows: [] }))
  return [own?.name, rows[0]?.id].filter((part) => part !== undefined).join('@')
}

type Pages = Pick<
  ScopedCache<unknown>,
  'hits' | 'misses' | 'loaded' | 'invalidated' | 'evicted' | 'size' | 'bytes'
>
type Figures = Readonly<Record<string, readonly [help: string, read: (pages: Pages) => number]>>

const COUNTERS: Figures = {
  hits_total: ['Requests answered with a cached page', (pages) => pages.hits],
  misses_total: ['Requests for a shared page that was not cached', (pages) => pages.misses],
  made_total: ['Shared pages rendered', (pages) => pages.loaded],
  drops_total: ['Cached pages dropped by a change', (pages) => pages.invalidated],
  evictions_total: ['Cached pages dropped for lack of room', (pages) => pages.evicted],
}

const GAUGES: Figures = {
  pages: ['Cached pages', (pages) => pages.size],
  bytes: ['Bytes of cached pages', (pages) => pages.bytes],
}

/** Of the page cache for visitors, and for members: who is signed in. */
function registerPageCacheFigures({ pageCache }: FastifyInstance, registry: Registry): void {
  if (pageCache === null) return
  const { visitors, members } = pageCache
  for (const Metric of [Counter, Gauge])
    for (const [name, [help, read]] of Object.entries(Metric === Counter ? COUNTERS : GAUGES))
      figure(registry, Metric, [`handup_page_cache_${name}`, help, 'readers'], () =>
        Object.entries({ visitors, members }).map(([readers, { cache }]) => [{ readers }, read(cache)]),
      )
}

/** Room on the disks of DATA_DIR and BACKUP_DIR, and the age of the last complete backup in it. */
function registerPlaceFigures({ config: { backups, dataDir } }: FastifyInstance, registry: Registry): void {
  const places = Object.entries({ data: dataDir, ...(backups !== null && { backups: backups.folder }) })
  const free = [
    'handup_disk_free_bytes',
    'Free bytes where DATA_DIR (data) and BACKUP_DIR (backups) are',
    'place',
  ] as const
  const readFree = async () => {
    // A folder that is not there yet is left out.
    const rooms = await Promise.all(places.map(([, folder]) => statfs(folder).catch(() => null)))
    return places.flatMap(([place], index) => {
      const room = rooms[index]
      return room == null ? [] : [[{ place }, room.bavail * room.bsize] as const]
    })
  }
  figure(registry, Gauge, free, readFree, 'min')
  if (backups === null) return
  const age = [
    'handup_backup_age_seconds',
    'Age of the last complete backup in BACKUP_DIR; left out while there is none',
  ] as const
  const readAge = async () => {
    const kept = await keptBackups(backups.folder).catch(() => [])
    return kept
      .filter(({ isWhole }) => isWhole)
      .slice(0, 1)
      .map(({ at }) => [{}, (Date.now() - at) / 1000] as const)
  }
  figure(registry, Gauge, age, readAge, 'min')
}
