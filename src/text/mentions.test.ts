import assert from 'node:assert/strict'
import { test } from 'node:test'
import { render as renderMarkdown } from './markdown/pipeline.ts'
import {
  callsStaff,
  countWritten,
  mentionedIn,
  mentionsAsNames,
  renamedIn,
  showMentions,
} from './mentions.ts'
import { plainText } from './plain.ts'

test('a mention is the name as typed, which search, feeds and mails show', () => {
  const html = renderMarkdown('Ask @[Mina **Kim**](person:12), or `@[Jun](person:3)`.')
  assert.equal(
    html,
    '<p>Ask <span class="mention" data-person="12">@Mina **Kim**</span>, or <code>@[Jun](person:3)</code>.</p>\n',
  )
  assert.equal(plainText(html), 'Ask @Mina **Kim**, or @[Jun](person:3).')
  assert.deepEqual(mentionedIn(html), [12])
})

test('what is no mention stays as typed', () => {
  for (const source of [
    ...['@[Mina](person:0)', '@[Mina](person:1234567890123456)', '@[Mina](person:12', '@[](person:12)'],
    ...['@[Mi[na](person:12)', `@[${'x'.repeat(101)}](person:12)`, '\\@[Mina](person:12)'],
    ...['@[Mina] (person:12)', '    @[Mina](person:12)', '```\n@[Mina](person:12) @staff\n```', '`@staff`'],
    ...['mail@staff.org', '@staff.org', '@staffroom'],
  ]) {
    const html = renderMarkdown(source)
    assert.deepEqual([mentionedIn(html), callsStaff(html)], [[], false], source)
  }
})

test('no link stands in another one, and no name becomes a link', () => {
  assert.equal(
    renderMarkdown('[see @[Jun](person:3)](https://example.org)'),
    '<p><a href="https://example.org" rel="nofollow ugc noopener">see @Jun</a></p>\n',
  )
  assert.doesNotMatch(renderMarkdown('@[jun@example.org https://x.org](person:3)'), /<a /)
})

test('@staff calls the staff in both languages, with what a sentence goes on with', () => {
  const english = ['@staff', 'Help, @Staff!', '(@staff)']
  for (const source of [...english, '@강사진', '@운영진', '@운영진님께', '도와주세요 @운영진'])
    assert.ok(callsStaff(renderMarkdown(source)), source)
})

test('names can be shown, counted and replaced', () => {
  const source = '@[Mina](person:12) @[Jun](person:3) @[Mina K.](person:12)'
  assert.equal(countWritten(source), 2)
  assert.equal(mentionsAsNames(source), '@Mina @Jun @Mina K.')
  const renamed = '@[someone](person:12) @[Jun](person:3) @[someone](person:12)'
  assert.equal(renamedIn(source, 12, 'some[one]'), renamed)
  const shown = showMentions(renderMarkdown(source), (id, typed) => `${id}:${typed}`)
  assert.equal(shown, '<p>12:Mina 3:Jun 12:Mina K.</p>\n')
})

test('a text of nothing but beginnings of mentions is read in linear time', () => {
  const pieces = ['@[', '@[x](person:', '@[x](person:1', '@', '@['.repeat(50), '@[x]']
  for (const piece of pieces) {
    const source = piece.repeat(Math.floor(30_000 / piece.length))
    assert.deepEqual(mentionedIn(renderMarkdown(source)), [])
    assert.equal(countWritten(source), 0)
  }
})
