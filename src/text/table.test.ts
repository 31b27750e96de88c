import assert from 'node:assert/strict'
import { test } from 'node:test'
import { textOfTable } from './table.ts'

const TABLE = 'email,role\r\nmina@example.org,learner\r\n민아@example.org,조교\r\n'

test('a table is read in each encoding that spreadsheets save, with and without a byte order mark', () => {
  const little = Buffer.from(TABLE, 'utf16le')
  const big = Buffer.from(little).swap16()
  for (const [name, bytes] of Object.entries({
    'UTF-8': Buffer.from(TABLE),
    'UTF-8 with a mark': Buffer.from(`\uFEFF${TABLE}`),
    'UTF-16': little,
    'UTF-16 with a mark': Buffer.concat([Buffer.from([0xff, 0xfe]), little]),
    'UTF-16, high byte first': big,
    'UTF-16, high byte first, with a mark': Buffer.concat([Buffer.from([0xfe, 0xff]), big]),
  }))
    assert.equal(textOfTable(bytes), TABLE, name)
})

test('what is no such text is not guessed', () => {
  for (const bytes of [
    // 민아 in EUC-KR.
    Buffer.from([0xb9, 0xce, 0xbe, 0xc6]),
    Buffer.from('PK\u0003\u0004 a workbook\0\0'),
    // Half a surrogate pair, and half a character.
    Buffer.from([0xff, 0xfe, 0x00, 0xd8]),
    Buffer.from([0xff, 0xfe, 0x61]),
  ])
    assert.equal(textOfTable(bytes), null, bytes.toString('hex'))
  assert.equal(textOfTable(Buffer.alloc(0)), '')
})
