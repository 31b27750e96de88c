import assert from 'node:assert/strict'
import { suite, type TestContext, test } from 'node:test'
import { atEnd } from '../../../testing/at-end.ts'
import { EmbeddingEndpoint, nearness } from './endpoint.ts'
import { aFakeEndpoint } from './endpoint-testing.ts'

async function anEndpoint(t: TestContext) {
  const made = await aFakeEndpoint(t)
  const endpoint = new EmbeddingEndpoint(made.url)
  atEnd(t, async () => endpoint.close())
  return { ...made, endpoint, signal: new AbortController().signal }
}

suite('the operator’s embedding endpoint', () => {
  test('gets model, key and texts in one request, and its vectors are put in order', async (t) => {
    const { endpoint, asked, signal } = await anEndpoint(t)
    const texts = ['a car', `a cat${'x'.repeat(3000)}`, 'vehicle \ud800']
    const [car, cat, vehicle] = await endpoint.embed(texts, signal)
    assert.ok(car && cat && vehicle)
    assert.ok(nearness(car, vehicle) > 0.9)
    assert.ok(nearness(car, cat) < 0.1)
    assert.equal(asked.length, 1)
    assert.deepEqual([asked[0]?.model, asked[0]?.authorization], ['small', 'Bearer a/key'])
    const lengths = asked[0]?.input.map(({ length }) => length)
    assert.deepEqual(lengths, [5, 2000, 9])
  })

  test('what is no answer fails a job, and is no vector of what was typed', async (t) => {
    const { endpoint, fake, asked, signal } = await anEndpoint(t)
    const vectors = ['[0,0]', '["1"]'].map((vector) => `{"data":[{"index":0,"embedding":${vector}}]}`)
    for (const answer of ['', '{}', '{"data":[]}', ...vectors]) {
      fake.answer = answer
      await assert.rejects(endpoint.embed(['a car'], signal), answer)
    }
    assert.equal(await endpoint.embedTyped('a car'), null)
    const before = asked.length
    fake.answer = undefined
    // For a while nothing waits for it.
    assert.equal(await endpoint.embedTyped('a cat'), null)
    assert.equal(asked.length, before)
  })

  test('a text that is too long for its model is sent again with its beginning, alone', async (t) => {
    const { endpoint, fake, texts, signal } = await anEndpoint(t)
    fake.most = 512
    const long = `a car${' and 한글'.repeat(200)}`
    assert.ok(await endpoint.embedTyped(long))
    const lengths = texts().map(({ length }) => length)
    assert.deepEqual(lengths, [1405, 400])
    // Jobs of one batch are tried again each alone.
    await assert.rejects(endpoint.embed([long, 'a cat'], signal), /413/)
    const [car] = await endpoint.embed([long], signal)
    const [vehicle] = await endpoint.embed(['a vehicle'], signal)
    assert.ok(car && vehicle && nearness(car, vehicle) > 0.9)
    fake.most = 0
    await assert.rejects(endpoint.embed([long], signal), /413/)
  })

  test('one that never answers keeps what was typed for a moment, once', async (t) => {
    const { endpoint, fake, asked } = await anEndpoint(t)
    fake.answer = null
    assert.equal(await endpoint.embedTyped('a car'), null)
    assert.equal(await endpoint.embedTyped('a car again'), null)
    assert.equal(asked.length, 1)
  })

  test('what was typed twice is asked once', async (t) => {
    const { endpoint, asked } = await anEndpoint(t)
    assert.deepEqual(await endpoint.embedTyped('a car'), await endpoint.embedTyped('a car'))
    assert.equal(asked.length, 1)
  })
})
