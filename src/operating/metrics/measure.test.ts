import assert from 'node:assert/strict'
import { test } from 'node:test'
import fastify from 'fastify'
import { AggregatorRegistry } from 'prom-client'
import { measure } from './measure.ts'

test('what alerts watch in each process is that of the worst, not of all together', async () => {
  const one = await measure(fastify()).getMetricsAsJSON()
  const all = AggregatorRegistry.aggregate([one, one, one])
  for (const name of ['process_resident_memory_bytes', 'process_open_fds', 'process_max_fds']) {
    const figures = [one, await all.getMetricsAsJSON()].map((metrics) => {
      const [value] = metrics.find((metric) => metric.name === name)?.values ?? []
      return value?.value
    })
    assert.equal(typeof figures[0], 'number', name)
    assert.equal(figures[1], figures[0], name)
  }
})
