import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { drawnMutations } from './drawing.ts'
import { mutated, RULES } from './rules.ts'
import { readTable, writtenTable } from './table.ts'

const ROOT = join(import.meta.dirname, '../../..')

test('each of the sixty rules is where its mutation says, once', () => {
  assert.equal(new Set(RULES.map(({ rule }) => rule)).size, 60)
  for (const mutation of RULES) {
    const text = mutation.from === '' ? '' : readFileSync(join(ROOT, mutation.file), 'utf8')
    assert.notEqual(mutated(text, mutation), text)
  }
})

test('one seed draws the same forty rules', () => {
  const drawn = drawnMutations(ROOT, 1)
  assert.equal(drawn.length, 40)
  assert.deepEqual(drawnMutations(ROOT, 1), drawn)
})

test('the table is read as it was written', () => {
  const row = { rule: 'one | another', file: 'src/a.ts', caught: ['src/a.test.ts', 'src/b.test.ts'] }
  const rows = [row, { ...row, rule: 'nothing sees it', caught: [] }]
  assert.deepEqual([...readTable(writtenTable(rows)).values()], rows)
})

test('the table keeps why nothing changes where a rule is broken', () => {
  const row = { rule: 'held twice', file: 'src/a.ts', caught: [], changesNothing: '`src/b.ts` asks as well' }
  assert.deepEqual([...readTable(writtenTable([row])).values()], [row])
})
