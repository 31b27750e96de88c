import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { moduleOf } from './compile.ts'

const ROOT = join(import.meta.dirname, '../../..')

/** What is spelt wrong in a page, a partial, the layout and an email. */
const MISSPELT = [
  { name: '/faq/index', right: 'it.entries.length', wrong: 'it.entreis.length' },
  { name: '/desk/_row', right: 'row.isHot', wrong: 'row.isHott' },
  { name: '/layout', right: 'it.documentTitle', wrong: 'it.documentTitel' },
  { name: '/mail/letter', right: 'it.footer', wrong: 'it.footter' },
] as const

test('a misspelt name fails at its line of the template, in a page, a partial, the layout and an email', (t) => {
  const folder = join(ROOT, `.cache/planted-${process.pid}`)
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const expected = MISSPELT.map(({ name, right, wrong }) => {
    const template = readFileSync(join(ROOT, 'views', `${name}.eta`), 'utf8')
    assert.ok(template.includes(right), name)
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, `${name}.ts`), moduleOf(name, template.replace(right, wrong)))
    const line = template.slice(0, template.indexOf(right)).split('\n').length
    return new RegExp(
      `${name}\\.ts\\(${line},\\d+\\): error TS\\d+: Property '${wrong.split('.')[1]}' does not exist`,
    )
  })
  const config = { extends: '../../tsconfig.json', include: ['**/*.ts'] }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const { stdout } = spawnSync(join(ROOT, 'node_modules/.bin/tsc'), ['--project', folder], {
    encoding: 'utf8',
  })
  for (const line of expected) assert.match(stdout, line)
})

test('a template without a type is named', () => {
  assert.throws(() => moduleOf('/faq/new', '<p>Hello</p>\n'), /views\/faq\/new\.eta: end its first comment/)
})
