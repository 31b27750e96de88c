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

/** Figures read at scrape time. The values of several processes are added, unless the figure says otherwise. */
export async function registerFigures(app: FastifyInstance, registry: Registry): Promise<void> {
  const gauge = gaugesIn(registry)
  gauge('handup_database_connections', 'Open connections to the database', () => useOf(app.db).open)
  gauge('handup_database_connections_idle', 'Those that nobody uses', () => useOf(app.db).idle)
  gauge('handup_database_waiting', 'Queries that wait for a connection', () => useOf(app.db).waiting)
  const isLive = () => (app.changes?.isLive === true ? 1 : 0)
  gauge('handup_changes_live', '0: some process has lost its change feed, and caches nothing', isLive, 'min')
  gauge('handup_streams_open', 'Open pages that are told what is new', () => app.openStreams())
  registerPageCacheFigures(app, registry)
  await registerJobFigures(app, registry)
  registerEventFigures(registry)
  registerPlaceFigures(app, registry)
  const labels = { version: await handupVersion(), node: process.versions.node }
  const names = ['version', 'node'] as const
  const about = {
    name: 'handup_info',
    help: 'The version that runs',
    labelNames: names,
    registers: [registry],
  }
  new Gauge({ ...about, aggregator: 'first' }).set(labels, 1)
}

function gaugesIn(registry: Registry) {
  return (name: string, help: string, read: () => number, aggregator: Aggregator = 'sum') => {
    const collect = (): void => gauge.set(read())
    const gauge = new Gauge({ name, help, registers: [registry], aggregator, collect })
  }
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
  const events = new Counter({
    name: 'handup_events_total',
    help: 'Events of the log by name: sign-in-refused, limited (answered with 429), backup-failed, …',
    labelNames: ['event'],
    registers: [registry],
    collect() {
      events.reset()
      for (const event of ALWAYS) events.inc({ event }, 0)
      for (const { event, count } of eventCounts.values()) events.inc({ event }, count)
    },
  })
  const mails = new Counter({
    name: 'handup_mails_total',
    help: 'Emails: sent (taken by the mail server), delayed (tried again), refused for good, returned later',
    labelNames: ['outcome'],
    registers: [registry],
    collect() {
      mails.reset()
      for (const [outcome, isIt] of Object.entries(MAILS)) {
        const counted = [...eventCounts.values()].filter(({ event, about }) => isIt(event, about))
        mails.inc(
          { outcome },
          counted.reduce((sum, { count }) => sum + count, 0),
        )
      }
    },
  })
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
  const about = { registers: [registry], aggregator: 'max' as const }
  // Both figures of a scrape are of one look: they are collected at once.
  let looking: Promise<Waiting[]> | null = null
  const look = () => {
    looking ??= countJobs(app.db)
      .then(
        (counts) => withIdle(counts, app.jobs.kinds),
        () => [],
      )
      .finally(() => {
        looking = null
      })
    return looking
  }
  const jobs = new Gauge({
    ...about,
    name: 'handup_jobs',
    help: 'Jobs not done: waiting for their (next) try, of these failing ones, and given up; the same in every instance on a database',
    labelNames: ['database', 'kind', 'state'],
    async collect() {
      const counts = await look()
      jobs.reset()
      for (const job of counts)
        for (const [state, count] of STATES) jobs.set({ database, kind: job.kind, state }, count(job))
    },
  })
  const oldest = new Gauge({
    ...about,
    name: 'handup_jobs_oldest_seconds',
    help: 'Since when the oldest job that waits has waited',
    labelNames: ['database', 'kind'],
    async collect() {
      const counts = await look()
      oldest.reset()
      for (const job of counts) oldest.set({ database, kind: job.kind }, job.oldest)
    },
  })
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
function registerPageCacheFigures(app: FastifyInstance, registry: Registry): void {
  const { pageCache } = app
  if (pageCache === null) return
  const { visitors, members } = pageCache
  for (const Metric of [Counter, Gauge]) {
    for (const [name, [help, read]] of Object.entries(Metric === Counter ? COUNTERS : GAUGES)) {
      const metric = new Metric({
        name: `handup_page_cache_${name}`,
        help,
        labelNames: ['readers'],
        registers: [registry],
        collect() {
          metric.reset()
          for (const [readers, { cache }] of Object.entries({ visitors, members }))
            metric.inc({ readers }, read(cache))
        },
      })
    }
  }
}

/** Room on the disks of DATA_DIR and BACKUP_DIR, and the age of the last complete backup in it. */
function registerPlaceFigures(app: FastifyInstance, registry: Registry): void {
  const { backups, dataDir } = app.config
  const places = { data: dataDir, ...(backups !== null && { backups: backups.folder }) }
  const free = new Gauge({
    name: 'handup_disk_free_bytes',
    help: 'Free bytes where DATA_DIR (data) and BACKUP_DIR (backups) are',
    labelNames: ['place'],
    registers: [registry],
    aggregator: 'min',
    async collect() {
      free.reset()
      for (const [place, folder] of Object.entries(places)) {
        // One that is not there yet is left out.
        const room = await statfs(folder).catch(() => null)
        if (room !== null) free.set({ place }, room.bavail * room.bsize)
      }
    },
  })
  if (backups === null) return
  const age = new Gauge({
    name: 'handup_backup_age_seconds',
    help: 'Age of the last complete backup in BACKUP_DIR; left out while there is none',
    registers: [registry],
    aggregator: 'min',
    async collect() {
      age.reset()
      const kept = await keptBackups(backups.folder).catch(() => [])
      const whole = kept.find(({ isWhole }) => isWhole)
      if (whole === undefined) age.remove()
      else age.set((Date.now() - whole.at) / 1000)
    },
  })
}
