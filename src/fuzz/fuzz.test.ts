import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testAppThatHears } from '../testing/app.ts'
import { testDatabase } from '../testing/database.ts'
import { runFuzz } from './run.ts'
import type { Finding } from './walk.ts'

/** Requests, some ten seconds of them; `npm run fuzz -- --minutes 5` walks on, each time another way. */
const STEPS = 400
/** Always the same: what fails here must fail again, and be somebody's change. */
const SEED = 7

test('a random walk as everybody finds nothing to complain about, and all counters are right after it', async (t) => {
  const { app } = await testAppThatHears(t, await testDatabase(t))
  const report = await runFuzz(app, { seed: SEED, goesOn: (step) => step < STEPS, found: () => {} })

  assert.deepEqual(
    report.findings.map(told),
    [],
    `npm run fuzz -- --seed ${SEED} --steps ${STEPS} repeats it`,
  )
  assert.deepEqual(report.miscounts, [])
  assert.equal(report.steps, STEPS)
  const taken = report.statuses.get(303) ?? 0
  assert.ok(taken > STEPS / 20, `only ${taken} forms were taken`)
  assert.ok(report.forms.size > 25, `only ${report.forms.size} forms were sent`)
  assert.ok(report.pages.size > 60, `only ${report.pages.size} pages were seen`)
})

const told = ({ step, role, wish, complaints }: Finding) =>
  `step ${step}, ${role}: ${complaints.join('; ')}\n${wish}`
