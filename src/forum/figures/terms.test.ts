import assert from 'node:assert/strict'
import { test } from 'node:test'
import { logLikelihood, tellingTerms } from './terms.ts'

test('log-likelihood as published: 2 (a ln(a/E1) + b ln(b/E2)), and 0 where a term is rarer', () => {
  // E1 = 100 · 30/300 = 10, E2 = 200 · 30/300 = 20: 2 (20 ln 2 + 10 ln 0.5) = 20 ln 2.
  assert.equal(logLikelihood(20, 10, 100, 200).toFixed(6), (20 * Math.log(2)).toFixed(6))
  assert.equal(logLikelihood(5, 0, 6, 6).toFixed(6), (10 * Math.log(2)).toFixed(6))
  assert.equal(logLikelihood(1, 10, 100, 200), 0)
  assert.equal(logLikelihood(3, 0, 3, 0), 0)
})

test('terms that set a lecture apart are shown as people write them, whatever the particles', () => {
  const asked = (lectureId: number, titles: readonly string[], tags: readonly string[] = []) =>
    titles.map((title, asker) => ({ lectureId, asker, title, tags }))
  const telling = tellingTerms([
    ...asked(
      1,
      [
        ...['@JsonIgnore on a record', 'Where does @JsonIgnore go?', 'Is @JsonIgnore needed?'],
        ...['@JsonIgnore?', '@JsonIgnore!', 'Why @JsonIgnore'],
      ],
      ['jackson'],
    ),
    ...asked(2, [
      '멱등성이 무엇인가요',
      '멱등성은 왜 필요한가요',
      '멱등성을 어떻게',
      '멱등성 질문',
      '멱등성의 뜻',
      '멱등성',
    ]),
  ])
  assert.deepEqual(telling.get(1)?.toSorted(), ['@JsonIgnore', 'jackson'])
  assert.deepEqual(telling.get(2), ['멱등성'])
})

test('a term that fewer than five people used is not shown, however telling it is', () => {
  const asked = (lectureId: number, askers: readonly number[], title: string) =>
    askers.map((asker) => ({ lectureId, asker, title, tags: [] }))
  const telling = tellingTerms([
    ...asked(1, [1, 1, 1, 2, 3, 4, 4], 'etag'),
    ...asked(2, [1, 2, 3, 4, 5, 6, 7], 'cursor'),
  ])
  assert.deepEqual([telling.get(1), telling.get(2)], [undefined, ['cursor']])
})
