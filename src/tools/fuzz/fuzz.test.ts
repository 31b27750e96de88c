import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testAppThatHears } from '../../testing/app.ts'
import { testDatabase } from '../../testing/database.ts'
import { runFuzz } from './run.ts'
import type { Finding } from './walk.ts'

/** Number of requests, some ten seconds; `npm run fuzz -- --minutes 5` runs longer with a new seed. */
const STEPS = 400
/** Fixed, so that a failure is reproducible and caused by a change of the code. */
const SEED = 7

test('a random walk as everybody finds nothing to complain about, and all counters are right after it', async (t) => {
  const { app } = await testAppThatHears(t, await testDatabase(t))
  const goesOn = (step: number) => step < STEPS
  const report = await runFuzz(app, { seed: SEED, goesOn, found: () => {} })

  assert.deepEqual(
    report.findings.map(told),
    [],
    `npm run fuzz -- --seed ${SEED} --steps ${STEPS} repeats it`,
  )
  assert.deepEqual(report.miscounts, [])
  const { steps, statuses, forms, pages } = report
  const taken = statuses.get(303) ?? 0
  assert.equal(steps, STEPS)
  assert.ok(taken > steps / 20, `only ${taken} forms of ${steps} steps were taken`)
  assert.ok(forms.size > steps / 20, `only ${forms.size} forms were sent in ${steps} steps`)
  assert.ok(pages.size > steps / 8, `only ${pages.size} pages were seen in ${steps} steps`)
})

const told = ({ step, role, request, complaints }: Finding) =>
  `step ${step}, ${role}: ${complaints.join('; ')}\n${request}`
