import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { BY_HAND } from './by-hand.ts'
import { drawnMutations } from './drawn.ts'
import { mutated } from './mutation.ts'
import { readTable, writtenTable } from './table.ts'

const ROOT = join(import.meta.dirname, '../../..')

test('each rule that is written by hand is where its mutation says, once', () => {
  for (const mutation of BY_HAND) {
    const text = readFileSync(join(ROOT, mutation.file), 'utf8')
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
