import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { askQuestion } from './operations.ts'

const GOOD = { title: 'A good title', body: 'A body.', tags: '' }

/** What is wrong with a question; '': nothing. */
async function wrongIn(sent: Readonly<Record<string, string>>): Promise<string> {
  const read = await askQuestion.read({ ...GOOD, ...sent })
  return read.ok ? '' : read.errors.map(({ message }) => message.key).join()
}

suite('limits of a question', () => {
  test('the limits count characters, not bytes or UTF-16 units', async () => {
    const [short, long] = ['questions.title.short', 'questions.title.long']
    const [empty, forbidden] = ['posts.body.short', 'forms.forbidden']
    const cases: [Record<string, string>, string, string][] = [
      [{ title: 'ab' }, short, 'a title of 2'],
      [{ title: 'a  b' }, '', 'a title of 3 after blanks are one'],
      [{ title: '한글요' }, '', 'a Korean title of 3'],
      [{ title: '한글요'.normalize('NFD').slice(0, 6) }, short, 'a decomposed Korean title of 2'],
      [{ title: '😀😀' }, short, 'two emoji'],
      [{ title: '😀'.repeat(150) }, '', '150 emoji'],
      [{ title: '😀'.repeat(151) }, long, '151 emoji'],
      [{ title: '가'.repeat(150) }, '', '150 Korean'],
      [{ title: '가'.repeat(151) }, long, '151 Korean'],
      [{ title: 'é'.normalize('NFD').repeat(150) }, '', '150 letters, each of two parts'],
      [{ title: '\u200b\u200b\u200b' }, short, 'nothing to see'],
      [{ body: '' }, empty, 'no body'],
      [{ body: ' \r\n\t\r\n ' }, empty, 'a blank body'],
      [{ body: 'x' }, '', 'a body of 1'],
      [{ body: '한'.repeat(30_000) }, '', 'a body of 30,000'],
      [{ body: '한'.repeat(30_001) }, 'posts.body.long', 'a body of 30,001'],
      [{ body: 'x\r\n'.repeat(15_000) }, '', 'line ends count once'],
      [{ title: 'a\u0000bc' }, forbidden, 'NUL in a title'],
      [{ title: 'a\tbc' }, '', 'a tab in a title'],
      [{ title: 'a\t' }, short, 'a tab at the end of a title of 1'],
      [{ title: 'a\u000bbc' }, forbidden, 'a vertical tab in a title'],
      [{ title: 'a\u001b[31mb' }, forbidden, 'an escape sequence in a title'],
      [{ title: 'a\nbc' }, forbidden, 'a line end in a title'],
      [{ body: 'a\u0000b' }, forbidden, 'NUL in a body'],
      [{ body: 'a\u001bb' }, forbidden, 'ESC in a body'],
      [{ body: 'a\u001b[31' }, forbidden, 'half an escape sequence in a body'],
      [{ body: '\u001b[31m\u001b[0m' }, empty, 'a body of escape sequences'],
      [{ body: '[a]: https://x.y' }, empty, 'a body of a link definition'],
      [{ body: '&#8203;&nbsp;\n\n&zwj;' }, empty, 'a body of invisible entities'],
      [{ body: '---' }, '', 'a body of a rule'],
      [{ body: 'a\tb\r\nc' }, '', 'tab and line end in a body'],
    ]
    for (const [fields, wrong, name] of cases) assert.equal(await wrongIn(fields), wrong, name)
  })

  test('text is kept in Unicode NFC, a tab in a title is a blank, and a terminal’s colours are no part of a body', async () => {
    const text = 'Cafe\u0301 한글'.normalize('NFD')
    const [title, body] = [`${text}:\tat  line 3`, `${text}:\n\u001b[31mERROR\u001b[0m failed`]
    const read = await askQuestion.read({ title, body, tags: '한글'.normalize('NFD') })
    assert.ok(read.ok)
    const { values } = read
    assert.deepEqual([values.title, values.tags], ['Café 한글: at line 3', ['한글']])
    assert.partialDeepStrictEqual(values.body, { source: 'Café 한글:\nERROR failed' })
  })

  test('tags are at most five words of letters, digits and + # . -', async () => {
    const [many, wrong] = ['questions.tags.many', 'questions.tags.wrong']
    const taken = ['a,b,c,d,e', 'a,b,c,d,e,E,a', ' , ,', '한국어, c#, node.js, c++, x-1', 'हिन्दी']
    for (const tags of [...taken, '가'.repeat(32), 'a，b、c', 'ß', 'two words'])
      assert.equal(await wrongIn({ tags }), '', tags)
    assert.equal(await wrongIn({ tags: 'a,b,c,d,e,f' }), many)
    const refused = ['a/b', '<b>', 'a&b', '😀', 'x'.repeat(33), '가'.repeat(33), '.', '..', 'a"b', '%41']
    for (const tags of refused) assert.equal(await wrongIn({ tags }), wrong, tags)
  })
})
