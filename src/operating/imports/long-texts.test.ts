import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ImportTally } from '../exchange/import-tally.ts'
import { foreignHtml } from './foreign-html.ts'
import { foreignMarkdown } from './foreign-markdown.ts'
import { piazzaText } from './piazza/piazza-text.ts'

const LEADS = { link: () => null, picture: (src: string) => src }
const asHtml = (html: string, tally = new ImportTally()) => foreignHtml(html, LEADS, tally)

// Each takes minutes or years where an expression looks for the end of what never ends from each of its beginnings.
test('markup that never ends is read in time', async () => {
  const repeated = (unit: string) => unit.repeat(Math.floor(40_000 / unit.length))
  for (const unit of ['![a](b)', '[a](x "', '[a]:\t\t', '\u00a0', '\t'])
    assert.notEqual(foreignMarkdown(`[x${repeated(unit)}x`, LEADS), '', unit)
  for (const unit of ['\\(', '<code ', '\u00a0', '<br>', '<ol><li>'])
    assert.notEqual(await asHtml(`x${repeated(unit)}x`), '', unit)
  const piazza = { tally: new ImportTally(), numbers: new Map(), picture: (url: string) => url }
  assert.equal(await piazzaText(`${repeated(' ')}<p>x</p>`, piazza), 'x')
})

test('a list keeps its numbers, and breaks their lines', async () => {
  assert.equal(await asHtml('<ol><li>a<li>b<br>c<br></ol>'), '1. a\n2. b\\\n   c')
  assert.equal(await asHtml('<p>a<br><em>b<br></em>c</p>'), 'a\\\n_b_\\\nc')
})

test('a text that is too long to be read as markup is shown as it is written', async () => {
  const tally = new ImportTally()
  const long = `<p>\`\`\`</p>${'x '.repeat(100_000)}`
  assert.equal(await asHtml(long, tally), `\`\`\`\`\n${long}\n\`\`\`\``)
  assert.equal(tally.notes.size, 1)
  assert.equal(foreignMarkdown(long, LEADS), `\`\`\`\`\n${long}\n\`\`\`\``)
})

test('half of a character is replaced', async () => {
  assert.equal(foreignMarkdown('a \ud83d b', LEADS), 'a \ufffd b')
  assert.equal(await asHtml('<p>a \udc00</p>'), 'a \ufffd')
})
