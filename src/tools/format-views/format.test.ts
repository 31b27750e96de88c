import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { VIEWS } from '../../web/views.ts'
import { formatted, isText, WIDTH } from './format.ts'

test('each template is as `npm run format-views` writes it, in lines of at most 120 characters', () => {
  for (const name of globSync('**/*.eta', { cwd: VIEWS })) {
    const template = readFileSync(join(VIEWS, name), 'utf8')
    if (!isText(name)) assert.equal(template, formatted(template), name)
    for (const line of template.split('\n')) assert.ok(line.length <= WIDTH, `${name}: ${line}`)
  }
})

test('lines break where a page shows no blank: inside tags, behind code, at the edges of blocks', () => {
  const words = 'word '.repeat(14).trim()
  assert.equal(
    formatted(`<p><b>${words}</b><i class="quiet">${words}</i></p>\n`),
    `<p>\n  <b>${words}</b\n  ><i class="quiet">${words}</i>\n</p>\n`,
  )
  assert.equal(
    formatted(`<li><% if (it.isOpen) { %><span>${words}</span><% } %><%= it.title %> ${words}</li>\n`),
    `<li>\n  <% if (it.isOpen) { %><span>${words}</span><% } %>\n  <%= it.title %> ${words}\n</li>\n`,
  )
})

test('an include is broken between what it hands over', () => {
  const fields = Array.from({ length: 12 }, (_, at) => `field${at}: it.field${at}`)
  const lines = formatted(`<%~ include('/components/_field', { ${fields.join(', ')} }) %>\n`).split('\n')
  assert.equal(lines[0], "<%~ include('/components/_field', {")
  assert.equal(lines.at(-2), '}) %>')
})
