import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { visitor } from '../../testing/browser.ts'
import { aForum } from '../testing.ts'

const MINA = { display_name: 'Mina Kim', email: 'mina@example.org', password: 'six blue doors in a row' }

suite('strange input', () => {
  test('gets a page that says what is wrong, never a 500', async (t) => {
    const { app } = await aForum(t)
    const browser = visitor(app)
    const token = await browser.token('/sign-in')
    for (const path of ['/sign-in', '/sign-up', '/sign-in/link', '/set-up']) {
      for (const strange of STRANGE) {
        const answer = await browser.post(path, { ...MINA, ...strange }, { token })
        const isRefused = [400, 410, 422].includes(answer.statusCode)
        assert.ok(isRefused, `${path} ${JSON.stringify(strange).slice(0, 80)}: ${answer.statusCode}`)
        assert.match(answer.body, /<h1/)
      }
      const raw = await browser.post(path, {}, { raw: '%ff%fe=%c3%28&email=%' })
      assert.ok([400, 403].includes(raw.statusCode), `${path}: ${raw.statusCode}`)
    }
  })

  const STRANGE = [
    { email: ['a@example.org', 'b@example.org'] },
    { password: ['one long password', 'other long password'] },
    { display_name: ['one', 'other'], token: ['one', 'other'] },
    { email: `${'a'.repeat(10_000)}@example.org` },
    { email: 'mina@example.org\0' },
    { email: 'mina\r\nBcc: all@example.org' },
    { email: 'a@b@c' },
    { email: '@example.org' },
    { email: '.mina@example.org' },
    { email: 'mina@localhost' },
    { email: 'mina@-example.org' },
    { email: 'mina@example..org' },
    { email: '"<script>"@example.org' },
    { email: '__proto__' },
    { email: '\u202Emina@example.org' },
    { password: 'x'.repeat(257) },
    { password: 'x'.repeat(100_000) },
    { email: '', display_name: '\u200B\u2060', password: '' },
    { email: '', display_name: 'x'.repeat(51), token: 'x'.repeat(10_000) },
  ]
})
