import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tellsAuthor } from './own-name.ts'

test('a text tells its author by the name, a word of it in a signature, or the address', () => {
  const bert = (text: string) => tellsAuthor(text, ['Bert Learner', 'Robert L.'], ['bert@example.com'])
  for (const text of [
    ...['Thanks.\nBert Learner', 'thanks, BERT LEARNER', 'Thanks.\nBert', 'Thanks!\n\nbest,\nbert'],
    ...['Write to BERT@example.com, please.', 'As Robert says', 'Ｂｅｒｔ was here'],
  ])
    assert.ok(bert(text), text)
  for (const text of ['A learner asks, and Berta and Bertram answer: it is 201.', 'The alberta server.', ''])
    assert.ok(!bert(text), text)
  const korean = (text: string) => tellsAuthor(text, ['김민수'], ['minsu@example.com'])
  for (const text of ['감사합니다.\n김민수 드림', '민수입니다. 잘 됩니다.']) assert.ok(korean(text), text)
  assert.ok(!korean('감사합니다. 잘 됩니다.'))
  assert.ok(!tellsAuthor('I will ask you to do the rest later on.', ['Will Rest'], ['w@example.com']))
})
