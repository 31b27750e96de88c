import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { problemOfSecret, readKeys, type SecretKeys } from './keys.ts'
import { open, reseal, SEAL_BYTES, seal } from './sealed.ts'

const [NEW, OLD] = ['a new secret of at least 32 characters', 'the old secret of at least 32 characters']
const PLAIN = 'client secret, 비밀 🔑'

suite('sealed values', () => {
  const keys: SecretKeys = [NEW]

  test('open for their purpose and row alone', () => {
    const sealed = seal(keys, 'second-factor', 7, PLAIN)
    assert.equal(open(keys, 'second-factor', 7, sealed), PLAIN)
    assert.equal(open(keys, 'second-factor', '7', sealed), PLAIN)
    assert.equal(open(keys, 'second-factor', 8, sealed), null)
    assert.equal(open(keys, 'provider', 7, sealed), null)
    assert.equal(open([OLD], 'second-factor', 7, sealed), null)
    assert.equal(sealed.includes(PLAIN), false)
    assert.equal(sealed.length, SEAL_BYTES + Buffer.byteLength(PLAIN))
    assert.notDeepEqual(seal(keys, 'second-factor', 7, PLAIN), sealed)
  })

  test('of which a bit is changed, that are cut, or that are none, open as nothing', () => {
    const sealed = seal(keys, 'provider', 1, PLAIN)
    for (let at = 0; at < sealed.length; at++) {
      const changed = Buffer.from(sealed)
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at)
      assert.equal(open(keys, 'provider', 1, changed), null, `byte ${at}`)
      assert.equal(open(keys, 'provider', 1, sealed.subarray(0, at)), null, `cut at ${at}`)
    }
  })

  test('open with every key, and are sealed again only with the first one', () => {
    const sealed = seal([OLD], 'provider', 1, PLAIN)
    assert.equal(open([NEW, OLD], 'provider', 1, sealed), PLAIN)
    const renewed = reseal([NEW, OLD], 'provider', 1, sealed)
    assert.ok(renewed !== null)
    assert.equal(open([NEW], 'provider', 1, renewed), PLAIN)
    assert.equal(reseal([NEW, OLD], 'provider', 1, renewed), null)
    assert.equal(reseal([NEW], 'provider', 1, sealed), null)
  })
})

suite('SECRET', () => {
  test('is one secret, or a new one before old ones', () => {
    assert.deepEqual(readKeys(NEW), [NEW])
    assert.deepEqual(readKeys(`${NEW},${OLD}`), [NEW, OLD, `${NEW},${OLD}`])
    for (const one of [NEW, `${NEW},${OLD}`, `${NEW},${NEW},${OLD}`]) assert.equal(problemOfSecret(one), null)
  })

  test('of a former version with commas in it goes on working, behind a new one too', () => {
    for (const commas of [`${OLD},x`, `x,${OLD}`, 'a secret of short parts, with commas, in it']) {
      assert.equal(readKeys(commas)[0], commas)
      assert.equal(readKeys(`${NEW},${commas}`)[0], NEW)
      assert.ok(readKeys(`${NEW},${commas}`).includes(commas))
      assert.equal(problemOfSecret(commas), null)
    }
    assert.ok(readKeys(`${OLD},${NEW}`).includes(`${OLD},${NEW}`))
  })

  test('that is too short, or has an empty part, says so', () => {
    assert.equal(problemOfSecret('short'), 'must be at least 32 characters')
    for (const one of [`${NEW},`, `,${NEW}`, `${NEW}, ,${OLD}`])
      assert.match(problemOfSecret(one) ?? '', /^has nothing before or after a comma/)
  })
})
