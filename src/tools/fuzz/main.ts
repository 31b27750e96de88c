import { randomInt } from 'node:crypto'
import { Command, InvalidArgumentError } from 'commander'
import { withForum } from './forum.ts'
import { runFuzz } from './run.ts'
import type { Finding } from './walk.ts'

/** `npm run fuzz -- --minutes 5`; repeat a run with `--seed` and `--steps`. */
const { minutes, seed, steps } = new Command('fuzz')
  .description('Walks the whole site as everybody, and sends every form what might trip it.')
  .option('--minutes <number>', 'how long; 1 where no steps are named', positive)
  .option('--seed <number>', 'walks as a run with this seed did', positive, randomInt(1, 2 ** 32))
  .option('--steps <number>', 'stops after this number of requests', positive, Number.POSITIVE_INFINITY)
  .parse()
  .opts<{ minutes?: number; seed: number; steps: number }>()

const enough = minutes ?? (Number.isFinite(steps) ? Number.POSITIVE_INFINITY : 1)
const until = performance.now() + enough * 60_000
console.log(`seed ${seed}`)
const report = await withForum((app) =>
  runFuzz(app, { seed, goesOn: (step) => step < steps && performance.now() < until, found: tell }),
)

for (const [name, counts] of [
  ['page', report.pages],
  ['form', report.forms],
] as const) {
  for (const [what, count] of [...counts].sort()) console.log(`${name} ${what}: ${count}`)
}
const statuses = [...report.statuses].sort(([one], [other]) => one - other)
console.log(`answers: ${statuses.map(([status, count]) => `${status} × ${count}`).join(', ')}`)
for (const miscount of report.miscounts) console.log(`✖ ${miscount}`)
console.log(`${report.steps} steps, ${report.findings.length} findings, seed ${seed}`)
process.exitCode = report.findings.length + report.miscounts.length === 0 ? 0 : 1

function tell({ step, role, request, complaints }: Finding): void {
  console.log(`✖ step ${step}, ${role}: ${complaints.join('; ')}\n    ${request}`)
}

function positive(value: string): number {
  const number = Number(value)
  if (Number.isFinite(number) && number > 0) return number
  throw new InvalidArgumentError('must be a number above 0')
}
