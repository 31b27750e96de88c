import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../testing/properties.ts'
import { parseMemberName, partsOf } from './manifest.ts'

test('a member of a backup that would leave the uploads folder is no part of a backup', () => {
  for (const path of '../x a/../../x a/.. .. . ./x a//x /etc/passwd a\\..\\x a\0'.split(' '))
    assert.equal(parseMemberName(`uploads/${path}`), null, path)
  for (const path of ['x.png', 'a/x.png', 'a/..x', 'a/x..'])
    assert.deepEqual(parseMemberName(`uploads/${path}`), { kind: 'upload', path })
})

test('parts are the same bytes, end with a row, and know their rows, however the bytes came', async () => {
  const rows = fc.array(fc.stringMatching(/^[a-z\\]{0,30}$/), { maxLength: 40 })
  const cuts = fc.array(fc.nat(400), { maxLength: 20 })
  await holds(
    fc.asyncProperty(rows, cuts, fc.integer({ min: 1, max: 60 }), async (lines, places, size) => {
      const all = Buffer.from(lines.map((line) => `${line}\n`).join(''))
      const parts = []
      for await (const part of partsOf(chunksOf(all, places), size)) parts.push(part)
      assert.deepEqual(Buffer.concat(parts.map((part) => part.bytes)), all)
      for (const { bytes, rows: count } of parts) {
        assert.equal(bytes.at(-1), 0x0a)
        assert.equal(count, bytes.toString().split('\n').length - 1)
      }
    }),
  )
})

async function* chunksOf(bytes: Buffer, places: readonly number[]): AsyncGenerator<Buffer> {
  const ends = [...new Set([...places.filter((place) => place < bytes.length), bytes.length])]
  let start = 0
  for (const end of ends.sort((one, other) => one - other)) {
    yield bytes.subarray(start, end)
    start = end
  }
}
