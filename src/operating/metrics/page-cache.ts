import type { FastifyInstance } from 'fastify'
import { Counter, Gauge, type Registry } from 'prom-client'
import type { ScopedCache } from '../../web/scoped-cache/scoped-cache.ts'

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
export function registerPageCacheFigures(app: FastifyInstance, registry: Registry): void {
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
