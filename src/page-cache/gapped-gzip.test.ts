import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { holds } from '../testing/properties.ts'
import { GappedGzip } from './gapped-gzip.ts'

test('any texts with anything between them come out of gunzip as they were', () => {
  const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array))
  const gaps = fc.array(fc.tuple(bytes, bytes), { maxLength: 8 })
  holds(
    fc.property(bytes, gaps, fc.constantFrom(1, 6), (first, rest, level) => {
      const file = new GappedGzip([first, ...rest.map(([, text]) => text)], level)
      const filled = file.filledWith(rest.map(([value]) => value))
      assert.deepEqual(gunzipSync(filled), Buffer.concat([first, ...rest.flat()]))
    }),
  )
})

test('one file is filled again and again', () => {
  const file = new GappedGzip([Buffer.from('Hello, '.repeat(2000)), Buffer.from('!')], 6)
  for (const name of ['Ada', '아다', '', 'x'.repeat(65_535)]) {
    assert.equal(
      gunzipSync(file.filledWith([Buffer.from(name)])).toString(),
      `${'Hello, '.repeat(2000)}${name}!`,
    )
  }
  assert.ok(file.size < 1000)
})
