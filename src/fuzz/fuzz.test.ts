import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testAppThatHears } from '../testing/app.ts'
import { testDatabase } from '../testing/database.ts'
import { runFuzz } from './run.ts'
import type { Finding } from './walk.ts'

/** Requests, some ten seconds of them; `npm run fuzz -- --minutes 5` walks on, each time another way. */
const STEPS = 400
/** Milliseconds: a machine that is busy with other things walks less far. */
const LONGEST = 60_000
/** Always the same: what fails here must fail again, and be somebody's change. */
const SEED = 7

test('a random walk as everybody finds nothing to complain about, and all counters are right after it', async (t) => {
  const { app } = await testAppThatHears(t, await testDatabase(t))
  const until = performance.now() + LONGEST
  const goesOn = (step: number) => step < STEPS && performance.now() < until
  const report = await runFuzz(app, { seed: SEED, goesOn, found: () => {} })

  assert.deepEqual(
    report.findings.map(told),
    [],
    `npm run fuzz -- --seed ${SEED} --steps ${STEPS} repeats it`,
  )
  assert.deepEqual(report.miscounts, [])
  const { steps, statuses, forms, pages } = report
  const taken = statuses.get(303) ?? 0
  assert.ok(steps >= 50, `only ${steps} steps`)
  assert.ok(taken > steps / 20, `only ${taken} forms of ${steps} steps were taken`)
  assert.ok(forms.size > steps / 20, `only ${forms.size} forms were sent in ${steps} steps`)
  assert.ok(pages.size > steps / 8, `only ${pages.size} pages were seen in ${steps} steps`)
})

const told = ({ step, role, wish, complaints }: Finding) =>
  `step ${step}, ${role}: ${complaints.join('; ')}\n${wish}`
