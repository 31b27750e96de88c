import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { render } from './markdown/pipeline.ts'
import { typedNames, wordsAfterAt } from './typed-names.ts'

const namesIn = (source: string) => typedNames(source).map(({ names }) => names.map(({ folded }) => folded))

suite('names typed behind an @', () => {
  test('end where a word does, or before what Korean adds to a name; the longest comes first', () => {
    assert.deepEqual(namesIn('Ask @Mara Ilić, please'), [
      ['mara ilić, please', 'mara ilić,', 'mara ilić', 'mara'],
    ])
    for (const [source, name] of [
      ['@윤서진님', '윤서진'],
      ['@윤서진님께서 답해 주세요', '윤서진'],
      ['@윤서진이 답했습니다', '윤서진'],
      ['(@윤서진 선생님)', '윤서진'],
      ['@mina님', 'mina'],
    ] as const)
      assert.ok(namesIn(source)[0]?.includes(name), source)
    assert.ok(!namesIn('@윤서진희')[0]?.includes('윤서진'))
    assert.ok(!namesIn('@Mara-Lou')[0]?.includes('mara'))
  })

  test('are none in an address, nor in a mention that was chosen', () => {
    assert.deepEqual(namesIn('mail@mara.org https://x.org/@mara @[@Mara Ilić](person:12) @ mara'), [])
  })

  test('are bounded', () => {
    assert.ok(typedNames('@mara '.repeat(5000)).length <= 100)
    for (const { names } of typedNames(`@${'a '.repeat(10_000)}`)) assert.ok(names.length <= 12)
  })
})

test('words behind an @ are said once, but for code, addresses and calls of the staff', () => {
  const said = (source: string) => wordsAfterAt(render(source))
  assert.deepEqual(said('@mara and @mara, @윤서진님 (@Jun)'), ['mara', '윤서진님', 'Jun'])
  assert.deepEqual(said('@staff `@Test` @JsonIgnore @app.route @types/node @Query("x") mail@mara.org'), [])
  assert.deepEqual(said('```java\n@Test\nvoid run() {}\n```'), [])
})
