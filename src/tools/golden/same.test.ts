import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shownBy } from './same.ts'

const shown = (body: string, status = 200) =>
  shownBy({ status, headers: { 'content-type': 'text/html' }, body })

test('white space inside of tags and at the edges of blocks is no difference, between inline elements it is', () => {
  assert.deepEqual(
    shown('<p\n class="a  b" id="c">One <b>two</b>\n</p>'),
    shown('<p id="c" class="a b">One <b>two</b></p>'),
  )
  assert.notDeepEqual(shown('<p><b>one</b> <b>two</b></p>'), shown('<p><b>one</b><b>two</b></p>'))
  assert.notDeepEqual(shown('<pre>a  b</pre>'), shown('<pre>a b</pre>'))
})

test('tokens, request ids and seconds are no difference; words, order, attributes and the status are', () => {
  const form = (token: string) =>
    `<form><input name="_csrf" value="${token}"><time datetime="2026-11-27T10:20:31Z">x</time></form>`
  assert.deepEqual(shown(form('one')), shown(form('two').replace(':31Z', ':32Z')))
  const page = '<ul><li title="hint">one</li><li>two</li></ul>'
  for (const other of [
    page.replace('hint', ''),
    page.replace('one', '1'),
    page.replace('li>two', 'li class="x">two'),
  ])
    assert.notDeepEqual(shown(page), shown(other))
  assert.notDeepEqual(shown(page), shown(page, 404))
})
