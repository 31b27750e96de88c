import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WITHOUT_INDENT } from './template-lines.ts'

const page = (template: string) => WITHOUT_INDENT.processTemplate(template)

test('a line break inside a tag is a blank, and none before code or the end of the tag', () => {
  assert.equal(page('<a\n  class="x"\n  href="/y"\n>z</a\n>'), '<a class="x" href="/y">z</a>')
  assert.equal(
    page('<li\n  <% if (open) { %> open<% } %>\n  id="<%= a > b %>"\n>'),
    '<li<% if (open) { %> open<% } %> id="<%= a > b %>">',
  )
})

test('behind code a line break is nothing, elsewhere with an indent a blank', () => {
  assert.equal(
    page('<p>\n  <% if (x) { %>\n    one\n    two\n  <% } %>\n</p>'),
    '<p> <% if (x) { %>one two <% } %>\n</p>',
  )
})

test('code keeps its lines, and so do texts whose blanks are shown', () => {
  assert.equal(page('<% const a = 1\n  const b = 2 %>\n'), '<% const a = 1\n  const b = 2 %>\n')
  assert.equal(page('<textarea>\n<%~ it.text %></textarea>'), '<textarea>\n<%~ it.text %></textarea>')
})
