import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { filledIn, nearMissIn } from './placeholders.ts'

const values = { name: 'Lena', title: 'Is PUT safe? Why?', lecture: '1 · Verbs' }
const noLecture = { ...values, lecture: '' }

suite('placeholders of saved answers', () => {
  test('stand for the asker, the question and its lecture; other braces, and code, are text', () => {
    assert.equal(
      filledIn('Hi {name}: “{title}”, see {lecture}.', values),
      'Hi Lena: “Is PUT safe? Why?”, see 1 · Verbs.',
    )
    for (const text of [
      'GET /books/{id}',
      '{"name": 1}',
      '{ name }',
      '`/people/{name}`',
      '```\n{title}\n```',
      '~~~\n{name}',
    ])
      assert.equal(filledIn(text, values), text)
    assert.equal(filledIn('`{name}` is {name}, ``a ` {name}``', values), '`{name}` is Lena, ``a ` {name}``')
  })

  test('a sentence about the lecture is left out where the question has none', () => {
    for (const [body, filled] of [
      [
        'Hello {name}! Please see lecture {lecture}: it is explained there. Good luck!',
        'Hello Lena! Good luck!',
      ],
      ['Hello {name},\n\nsee lecture {lecture} : \n\nGood luck!', 'Hello Lena,\n\nGood luck!'],
      ['{name} 님, 안녕하세요. {lecture} 수업을 봐 주세요. 감사합니다.', 'Lena 님, 안녕하세요. 감사합니다.'],
      ['See {lecture}.', ''],
      ['Hello. {lecture} has it.\nGood luck!', 'Hello. \nGood luck!'],
      ['`{lecture}` is code.', '`{lecture}` is code.'],
    ])
      assert.equal(filledIn(body ?? '', noLecture), filled)
  })

  test('near-misses are found outside code, and nothing else in braces', () => {
    for (const [typed, meant] of [
      ['{Name}', '{name}'],
      ['{ name }', '{name}'],
      ['{lectures}', '{lecture}'],
      ['{lecure}', '{lecture}'],
      ['{Titel}', '{title}'],
      ['{LECTURE}', '{lecture}'],
    ])
      assert.deepEqual(nearMissIn(`Hi {name}, ${typed} {x}`), { typed, meant })
    for (const text of [
      '{name} {title} {lecture}',
      '/books/{id}',
      '/games/{game}',
      '{"name": 1}',
      '`{Name}`',
      '```\n{Name}\n```',
      '{x}',
      '{}',
    ])
      assert.equal(nearMissIn(text), null, text)
  })
})
