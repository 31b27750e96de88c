import assert from 'node:assert/strict'
import { test } from 'node:test'
import { markedText, snippetOf } from './snippet.ts'

const shown = (parts: readonly { text: string; isMarked: boolean }[]) =>
  parts.map((part) => (part.isMarked ? `[${part.text}]` : part.text)).join('')

test('a snippet is the place with most of the words, and says which answer it is from', () => {
  const filler = 'nothing of interest here. '.repeat(30)
  const snippet = snippetOf(
    [
      { text: `${filler}a mapper alone`, answerId: null },
      { text: `${filler}the object mapper of the framework`, answerId: 7 },
    ],
    new Set(['object', 'mapper']),
  )
  assert.equal(snippet.answerId, 7)
  assert.match(shown(snippet.parts), /^… .*the \[object\] \[mapper\] of the framework$/)
})

test('words are marked in every form that is found, and in Korean', () => {
  assert.equal(
    shown(markedText('Returning 번역을 돌려준다', new Set(['return', '번역']))),
    '[Returning] [번역을] 돌려준다',
  )
})

test('hostile text is text', () => {
  const { parts } = snippetOf([{ text: '<script>alert(1)</script>', answerId: null }], new Set(['alert']))
  assert.equal(parts.map((part) => part.text).join(''), '<script>alert(1)</script>')
})

test('without any of the words it is the beginning', () => {
  const { parts } = snippetOf([{ text: 'First words of the question', answerId: null }], new Set(['absent']))
  assert.equal(shown(parts), 'First words of the question')
})
