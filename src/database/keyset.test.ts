import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { visitor } from '../testing/browser.ts'
import { aQuestion } from '../testing/builders.ts'
import { sharedForum } from '../testing/forum.ts'
import { holds } from '../testing/properties.ts'
import { pageOf, readCursor, writeCursor } from './keyset.ts'

const plain = { noNullPrototype: true }
const id = fc.integer({ min: 1, max: 1e12 })
const count = fc.record({ value: fc.integer({ min: -(2 ** 31) + 1, max: 2 ** 31 - 1 }), id }, plain)
const time = fc.record({ value: fc.integer({ min: 0, max: 7_258_118_400_000 }), id }, plain)

suite('a cursor', () => {
  test('comes back as it was written, in an address as it is', () => {
    for (const [cursors, kind] of [
      [count, 'count'],
      [time, 'time'],
    ] as const) {
      holds(
        fc.property(cursors, (cursor) => {
          const text = writeCursor(cursor)
          assert.equal(encodeURIComponent(text), text)
          assert.deepEqual(readCursor(text, kind), cursor)
        }),
      )
    }
  })

  test('that nobody wrote is none', () => {
    for (const text of [
      null,
      '',
      'x',
      '1.',
      '.1',
      '1.0',
      '1.-1',
      '1.1.1',
      '1,1',
      'Z.1',
      ' 1.1',
      '1.1 ',
      'zzzzzzzzzzzz.1',
      '1.zzzzzzzzzzz',
    ]) {
      assert.equal(readCursor(text, 'count'), null, String(text))
    }
    assert.equal(readCursor('zik0zk.1', 'count'), null, 'beyond an integer')
    assert.equal(readCursor('-1.1', 'time'), null, 'before 1970')
    assert.equal(readCursor('zzzzzzzzz.1', 'time'), null, 'in the year 5188')
    holds(
      fc.property(fc.string(), (text) => {
        const cursor = readCursor(text, 'time')
        if (cursor !== null) assert.ok(Number.isSafeInteger(cursor.value) && Number.isSafeInteger(cursor.id))
      }),
    )
  })
})

suite('a cursor in an address', () => {
  const forum = sharedForum()

  test('gives a page whatever it is', async () => {
    await aQuestion(forum.db)
    const piece = fc.constantFrom('0', 'z', 'zzzzzzzzzzz', '-', '.', '1', '%', ' ', '\0', '\ud800', '가', ',')
    const text = fc.oneof(
      fc.array(piece, { maxLength: 8 }).map((parts) => parts.join('')),
      fc.string({ unit: 'binary' }),
    )
    const sort = fc.constantFrom('newest', 'active', 'votes', 'views')
    const property = fc.asyncProperty(
      text,
      sort,
      fc.constantFrom('after', 'before'),
      async (cursor, order, side) => {
        const query = new URLSearchParams({ sort: order, [side]: cursor })
        const { statusCode } = await visitor(forum.app).get(`/questions?${query}`)
        assert.ok(statusCode === 200 || statusCode === 400, `${statusCode} for ${query}`)
      },
    )
    await holds(property, 150)
  })
})

suite('a page', () => {
  const cursor = { value: 1, id: 1 }

  test('knows what is before and after it', () => {
    const [three, four, five] = [{ id: 3 }, { id: 4 }, { id: 5 }]
    const rows = [five, four, three]
    assert.deepEqual(pageOf(rows, 2, { after: null, before: null }), {
      rows: [five, four],
      newer: null,
      older: '0.4',
    })
    assert.deepEqual(pageOf(rows, 3, { after: null, before: null }), {
      rows: [five, four, three],
      newer: null,
      older: null,
    })
    assert.deepEqual(pageOf(rows, 2, { after: cursor, before: null }), {
      rows: [five, four],
      newer: '0.5',
      older: '0.4',
    })
    assert.deepEqual(pageOf([three, four, five], 2, { after: null, before: cursor }), {
      rows: [four, three],
      newer: '0.4',
      older: '0.3',
    })
    assert.deepEqual(
      pageOf([three], 2, { after: null, before: cursor }, ({ id }) => new Date(id * 1000)),
      { rows: [three], newer: null, older: '2bc.3' },
    )
    assert.deepEqual(pageOf([], 2, { after: cursor, before: null }), { rows: [], newer: null, older: null })
  })
})
