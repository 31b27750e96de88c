import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sharedForum } from '../../testing/forum.ts'
import { textOf, valueIn } from '../../testing/page.ts'
import { anAsker, latestQuestion } from './testing.ts'

suite('limits of a question', () => {
  const forum = sharedForum()

  test('the limits count characters, not bytes or UTF-16 units', async () => {
    const { ask } = await anAsker(forum)
    const cases: [Record<string, string>, number, string][] = [
      [{ title: 'ab' }, 422, 'a title of 2'],
      [{ title: 'a  b' }, 303, 'a title of 3 after blanks are one'],
      [{ title: '한글요' }, 303, 'a Korean title of 3'],
      [{ title: '한글요'.normalize('NFD').slice(0, 6) }, 422, 'a decomposed Korean title of 2'],
      [{ title: '😀😀' }, 422, 'two emoji'],
      [{ title: '😀'.repeat(150) }, 303, '150 emoji'],
      [{ title: '😀'.repeat(151) }, 422, '151 emoji'],
      [{ title: '가'.repeat(150) }, 303, '150 Korean'],
      [{ title: '가'.repeat(151) }, 422, '151 Korean'],
      [{ title: 'é'.normalize('NFD').repeat(150) }, 303, '150 letters, each of two parts'],
      [{ title: '\u200b\u200b\u200b' }, 422, 'nothing to see'],
      [{ body: '' }, 422, 'no body'],
      [{ body: ' \r\n\t\r\n ' }, 422, 'a blank body'],
      [{ body: 'x' }, 303, 'a body of 1'],
      [{ body: '한'.repeat(30_000) }, 303, 'a body of 30,000'],
      [{ body: '한'.repeat(30_001) }, 422, 'a body of 30,001'],
      [{ body: 'x\r\n'.repeat(15_000) }, 303, 'line ends count once'],
      [{ title: 'a\u0000bc' }, 422, 'NUL in a title'],
      [{ title: 'a\tbc' }, 303, 'a tab in a title'],
      [{ title: 'a\t' }, 422, 'a tab at the end of a title of 1'],
      [{ title: 'a\u000bbc' }, 422, 'a vertical tab in a title'],
      [{ title: 'a\u001b[31mb' }, 422, 'an escape sequence in a title'],
      [{ title: 'a\nbc' }, 422, 'a line end in a title'],
      [{ body: 'a\u0000b' }, 422, 'NUL in a body'],
      [{ body: 'a\u001bb' }, 422, 'ESC in a body'],
      [{ body: 'a\u001b[31' }, 422, 'half an escape sequence in a body'],
      [{ body: '\u001b[31m\u001b[0m' }, 422, 'a body of escape sequences'],
      [{ body: '[a]: https://x.y' }, 422, 'a body of a link definition'],
      [{ body: '&#8203;&nbsp;\n\n&zwj;' }, 422, 'a body of invisible entities'],
      [{ body: '---' }, 303, 'a body of a rule'],
      [{ body: 'a\tb\r\nc' }, 303, 'tab and line end in a body'],
    ]
    for (const [fields, status, name] of cases) assert.equal((await ask(fields)).statusCode, status, name)
  })

  test('a tab in a title is a blank, and a terminal’s colours are no part of a body', async () => {
    const { course, ask } = await anAsker(forum)
    await ask({ title: 'IllegalStateException:\tat  line 3', body: 'so:\n\u001b[31mERROR\u001b[0m failed' })
    const question = await latestQuestion(forum, course)
    assert.deepEqual(
      [question.title, question.body],
      ['IllegalStateException: at line 3', 'so:\nERROR failed'],
    )
  })

  test('text is kept in Unicode NFC', async () => {
    const { course, ask } = await anAsker(forum)
    const text = 'Cafe\u0301 한글'.normalize('NFD')
    await ask({ title: text, body: text, tags: '한글'.normalize('NFD') })
    const question = await latestQuestion(forum, course)
    assert.deepEqual([question.title, question.body], ['Café 한글', 'Café 한글'])
  })

  test('tags are at most five words of letters, digits and + # . -', async () => {
    const { ask } = await anAsker(forum)
    const taken = [
      'a,b,c,d,e',
      'a,b,c,d,e,E,a',
      ' , ,',
      '한국어, c#, node.js, c++, x-1',
      'हिन्दी',
      '가'.repeat(32),
      'a，b、c',
      'ß',
      'two words',
    ]
    const refused = [
      'a,b,c,d,e,f',
      'a/b',
      '<b>',
      'a&b',
      '😀',
      'x'.repeat(33),
      '가'.repeat(33),
      '.',
      '..',
      'a"b',
      '%41',
    ]
    for (const tags of taken) assert.equal((await ask({ tags })).statusCode, 303, tags)
    for (const tags of refused) {
      const answer = await ask({ tags })
      assert.equal(answer.statusCode, 422, tags)
      assert.equal(valueIn(answer.body, 'tags'), tags)
    }
  })

  test('lectures and categories are those of the course', async () => {
    const { ask } = await anAsker(forum)
    for (const lecture of ['3', '0', '-1', '1e0', '01', 'x', '1.5', '99999999999']) {
      const answer = await ask({ lecture })
      assert.equal(answer.statusCode, 422, lecture)
      assert.match(textOf(answer.body), /This lecture isn’t in the course\. Choose another one, or none/)
    }
    assert.equal((await ask({ lecture: '1' })).statusCode, 303)
    assert.equal((await ask({ category: 'of-another-course' })).statusCode, 422)
    assert.equal((await ask({ category: '' })).statusCode, 303)
  })
})
