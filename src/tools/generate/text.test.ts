import assert from 'node:assert/strict'
import { test } from 'node:test'
import { render as renderMarkdown } from '../../text/markdown/pipeline.ts'
import { renderedSamples } from './code-samples.ts'
import { Random } from './random.ts'
import { Writer } from './writer.ts'
import { Zipf } from './zipf.ts'

for (const language of ['en', 'ko'] as const) {
  test(`a generated post (${language}) is what the forum would make of it, and has 20 to 120 words`, async () => {
    const writer = new Writer(language, await renderedSamples())
    for (let stream = 0; stream < 150; stream += 1) {
      const random = new Random(11, stream)
      const topic = writer.topic(random)
      const title = writer.title(topic, random)
      assert.ok(title.length >= 3 && title.length <= 150, title)
      for (const body of [
        writer.question(topic, random),
        writer.answer(topic, random),
        writer.reply(topic, random),
      ]) {
        assert.equal(body.html, renderMarkdown(body.markdown))
        const words = body.markdown.split(/\s+/).length
        assert.ok(words >= 20 && words <= 120, `${words} words: ${body.markdown}`)
      }
    }
  })
}

test('ranks are drawn as often as Zipf’s law has it', () => {
  const zipf = new Zipf(1000, 1, 1)
  const random = new Random(3)
  const drawn = new Map<number, number>()
  for (let count = 0; count < 200_000; count += 1) {
    const rank = zipf.draw(random)
    drawn.set(rank, (drawn.get(rank) ?? 0) + 1)
  }
  const weights = Array.from({ length: 1000 }, (_, rank) => 1 / (rank + 1)).reduce(
    (sum, weight) => sum + weight,
  )
  for (const rank of [0, 1, 9, 99]) {
    const expected = 200_000 / (rank + 1) / weights
    assert.ok(Math.abs((drawn.get(rank) ?? 0) - expected) < 6 * Math.sqrt(expected), `rank ${rank}`)
  }
})
