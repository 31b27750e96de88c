import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ScopeClock } from './scope-clock.ts'
import { ScopedCache } from './scoped-cache.ts'

test('a value is loaded once for all who wait, and cached until a scope of it is touched', async () => {
  const { cache, announce, load, loads } = aCache()
  const first = [cache.find('a', load), cache.find('a', load)]
  loads[0]?.resolve('one')
  assert.deepEqual(await Promise.all(first), ['one', 'one'])
  announce('course:2')
  assert.equal(await cache.find('a', load), 'one')
  announce('course:1')
  assert.deepEqual([cache.size, cache.invalidated], [0, 1])
  const second = cache.find('a', load)
  loads[1]?.resolve('two')
  assert.equal(await second, 'two')
  announce('*')
  assert.equal(cache.size, 0)
})

test('a call after a change never gets what was read before it, and all such calls share the next load', async () => {
  const { cache, announce, load, loads } = aCache()
  const before = cache.find('a', load)
  announce('course:1')
  const after = [cache.find('a', load), cache.find('a', load)]
  loads[0]?.resolve('stale')
  assert.equal(await before, 'stale')
  assert.equal(cache.size, 0)
  await new Promise(setImmediate)
  loads[1]?.resolve('fresh')
  assert.deepEqual(await Promise.all(after), ['fresh', 'fresh'])
  assert.deepEqual([loads.length, cache.size], [2, 1])
})

test('a change of something else during a load changes nothing', async () => {
  const { cache, announce, load, loads } = aCache()
  const before = cache.find('a', load)
  announce('course:2')
  const after = cache.find('a', load)
  loads[0]?.resolve('one')
  assert.deepEqual(await Promise.all([before, after]), ['one', 'one'])
  assert.equal(cache.size, 1)
})

test('while changes would be missed, nothing is cached or shared', async () => {
  const { cache, feed, lose, load, loads } = aCache()
  const begun = cache.find('a', load)
  lose()
  const later = cache.find('a', load)
  assert.equal(loads.length, 2)
  feed.isLive = true
  for (const one of loads) one.resolve('value')
  await Promise.all([begun, later])
  assert.equal(cache.size, 0)
})

test('a load that fails is not remembered', async () => {
  const { cache, load, loads } = aCache()
  const failed = cache.find('a', load)
  loads[0]?.reject(new Error('away'))
  await assert.rejects(failed, /away/)
  const next = cache.find('a', load)
  loads[1]?.resolve('there')
  assert.equal(await next, 'there')
})

/** A cache of one key that depends on course 1, whose loads end as they are told to. */
function aCache() {
  const feed = { isLive: true, clock: new ScopeClock() }
  const cache = new ScopedCache<string>(feed, { maxSize: 10 })
  const loads: PromiseWithResolvers<string>[] = []
  const load = async () => {
    const loading = Promise.withResolvers<string>()
    loads.push(loading)
    return { value: await loading.promise, scopes: ['course:1'] as const }
  }
  const announce = (...scopes: string[]) => feed.clock.touch(scopes)
  const lose = () => {
    feed.isLive = false
    announce('*')
  }
  return { cache, feed, load, loads, announce, lose }
}

test('what was read before a change of one of its scopes is stale, and what was read after it is current', () => {
  const clock = new ScopeClock()
  const before = clock.now
  clock.touch(['course:1', 'site'])
  assert.equal(clock.isCurrent(['course:2', 'site'], before), false)
  assert.equal(clock.isCurrent(['course:2'], before), true)
  assert.equal(clock.isCurrent(['course:1', 'site'], clock.now), true)
  const after = clock.now
  clock.touch(['*'])
  assert.equal(clock.isCurrent([], after), false)
  assert.equal(clock.isCurrent(['course:1'], clock.now), true)
})

test('beyond many scopes all that was read before is stale, and nothing that changed is taken for current', () => {
  const clock = new ScopeClock()
  clock.touch(['question:0'])
  const before = clock.now
  for (let id = 1; id <= 20_000; id += 1) clock.touch([`question:${id}`])
  assert.equal(clock.isCurrent(['question:0'], before), false)
  assert.equal(clock.isCurrent(['question:20000'], clock.now - 1), false)
  assert.equal(clock.isCurrent(['question:20000'], clock.now), true)
})
