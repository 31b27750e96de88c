import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../testing/properties.ts'
import { slugOf } from './slug.ts'

test('letters and digits of every script stay, in lower case; all else is one dash', () => {
  assert.equal(slugOf('  How do I... REST?! '), 'how-do-i-rest')
  assert.equal(slugOf('ResponseEntity로 감싸야 하나요?'), 'responseentity로-감싸야-하나요')
  assert.equal(slugOf('हिन्दी में'), 'हिन्दी-में')
  assert.equal(slugOf('Cafe\u0301 İstanbul'), 'café-istanbul')
  assert.equal(slugOf('a\u200bb'), 'ab')
})

test('a text without letters and digits gives the fallback', () => {
  assert.equal(slugOf('?!'), 'question')
  assert.equal(slugOf('❤️', 'person'), 'person')
  assert.equal(slugOf('\u3164'), 'question')
})

test('a slug has at most 80 characters, none cut in half, no dash at its end', () => {
  assert.equal(slugOf('𝒜'.repeat(90)), '𝒜'.repeat(80))
  assert.equal(slugOf(`${'a'.repeat(79)} b`), 'a'.repeat(79))
  assert.doesNotThrow(() => encodeURIComponent(slugOf(`a\ud800${'😀'.repeat(100)}`)))
})

test('a slug of a slug is itself', () => {
  for (const text of ['Straße İ', 'ﬁne', 'ΑΣ', '1️⃣ x', 'Ǆ']) assert.equal(slugOf(slugOf(text)), slugOf(text))
})

test('whatever is typed, a slug is one part of an address, and names the same when it is made of itself', () => {
  const anyText = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: 'grapheme', maxLength: 200 }),
    fc.array(fc.nat(0xffff), { maxLength: 200 }).map((codes) => String.fromCharCode(...codes)),
  )
  holds(
    fc.property(anyText, (typed) => {
      const slug = slugOf(typed, 'fallback')
      assert.match(slug, /^[\p{L}\p{N}][\p{L}\p{N}\p{M}]*(?:-[\p{L}\p{N}][\p{L}\p{N}\p{M}]*)*$/u)
      assert.ok(Array.from(slug).length <= 80)
      assert.equal(decodeURIComponent(encodeURIComponent(slug)), slug)
      assert.equal(new URL(`/a/${encodeURIComponent(slug)}`, 'http://x').pathname.split('/').length, 3)
      assert.equal(slugOf(slug), slug)
    }),
    2000,
  )
})
