import type { FastifyInstance } from 'fastify'
import { Counter, Gauge, type Registry } from 'prom-client'
import type { KeptPage, KeptPages } from '../page-cache/kept-pages.ts'

type Kept = Pick<KeptPages<KeptPage>, 'hits' | 'misses' | 'made' | 'dropped' | 'evicted' | 'size' | 'bytes'>
type Figures = Readonly<Record<string, readonly [help: string, read: (kept: Kept) => number]>>

const COUNTERS: Figures = {
  hits_total: ['Readers who got a kept page', (kept) => kept.hits],
  misses_total: ['Readers for whom one was made', (kept) => kept.misses],
  made_total: ['Pages made to be kept', (kept) => kept.made],
  drops_total: ['Kept pages on which something changed', (kept) => kept.dropped],
  evictions_total: ['Kept pages for which room ran out', (kept) => kept.evicted],
}

const GAUGES: Figures = {
  pages: ['Kept pages', (kept) => kept.size],
  bytes: ['Bytes of kept pages', (kept) => kept.bytes],
}

/** What is kept for visitors, and for members: who is signed in. */
export function registerPageCacheFigures(app: FastifyInstance, registry: Registry): void {
  const { keptPages: visitors, keptMemberPages: members } = app
  for (const Metric of [Counter, Gauge]) {
    for (const [name, [help, read]] of Object.entries(Metric === Counter ? COUNTERS : GAUGES)) {
      const metric = new Metric({
        name: `handup_page_cache_${name}`,
        help,
        labelNames: ['readers'],
        registers: [registry],
        collect() {
          metric.reset()
          for (const [readers, kept] of Object.entries<Kept | null>({ visitors, members })) {
            if (kept !== null) metric.inc({ readers }, read(kept))
          }
        },
      })
    }
  }
}
