import assert from 'node:assert/strict'
import { test } from 'node:test'
import { occurrencesOf, SearchableText } from '../../text/words/occurrences.ts'
import { markedText, type SnippetSource, snippetOf } from './found-questions.ts'

const shown = (parts: readonly { text: string; isMarked: boolean }[]) =>
  parts.map((part) => (part.isMarked ? `[${part.text}]` : part.text)).join('')

/** A text with what is marked in it. */
const marked = (text: string, lexemes: readonly string[], beginnings: readonly string[] = []) =>
  shown(markedText(new SearchableText(text), occurrencesOf(new Set(lexemes), beginnings)))

const post = (text: string, answerId: number | null = null) => ({ text: new SearchableText(text), answerId })

const snippet = (sources: Iterable<SnippetSource>, ...lexemes: string[]) =>
  snippetOf(sources, occurrencesOf(new Set(lexemes)), lexemes.length)

test('a snippet is the place with most of the words, and says which answer it is from', () => {
  const filler = 'nothing of interest here. '.repeat(30)
  const sources = [post(`${filler}a mapper alone`), post(`${filler}the object mapper of the framework`, 7)]
  const { answerId, parts } = snippet(sources, 'object', 'mapper')
  assert.equal(answerId, 7)
  assert.match(shown(parts), /^… .*the \[object\] \[mapper\] of the framework$/)
})

test('no text is read after one that has all the words', () => {
  const read: number[] = []
  function* sources() {
    for (const answerId of [1, 2, 3]) {
      read.push(answerId)
      yield post(answerId === 1 ? 'a mapper' : 'an object mapper', answerId)
    }
  }
  assert.equal(snippet(sources(), 'object', 'mapper').answerId, 2)
  assert.deepEqual(read, [1, 2])
})

test('words are marked in every form that is found, in Korean without their particles', () => {
  assert.equal(marked('Returning 번역을 돌려준다', ['return', '번역']), '[Returning] [번역]을 돌려준다')
})

test('the beginning of a longer word is marked where nothing else is', () => {
  const mark = (text: string) => marked(text, ['nullpoint'], ['nullpointer'])
  assert.equal(mark('A NullPointerException here'), 'A [NullPointer]Exception here')
  assert.equal(mark('nullpoint, a NullPointerException'), '[nullpoint], a NullPointerException')
  assert.equal(marked('새 한글과 (한자)', ['한'], ['한']), '새 [한]글과 ([한]자)')
})

test('without any of the words it is the beginning', () => {
  const { parts } = snippet([post('First words of the question')], 'absent')
  assert.equal(shown(parts), 'First words of the question')
})

test('beside a whole Korean word its end in another one is not marked, unless nothing else is', () => {
  const mark = (text: string) => marked(text, ['테스', '스트'])
  assert.equal(mark('컨텍스트를 테스트하기'), '컨텍스트를 [테스트]하기')
  assert.equal(mark('컨텍스트 설정'), '컨텍[스트] 설정')
})
