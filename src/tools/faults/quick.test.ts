import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newDatabase, testDatabaseWithUrl } from '../../testing/database.ts'
import { FAULTS } from './all.ts'
import { linesOf } from './report.ts'
import { runFault } from './run-fault.ts'

const databases = { migrated: testDatabaseWithUrl, empty: newDatabase }

for (const fault of FAULTS.filter(({ isQuick }) => isQuick)) {
  test(`${fault.fault}: ${fault.wanted}`, async (t) => {
    const outcome = await runFault(fault, { databases, isTimed: false, say: (line) => t.diagnostic(line) })
    if (outcome.state === 'not run') return t.skip(outcome.reason)
    assert.equal(outcome.state, 'held', linesOf(outcome).join('\n'))
  })
}
