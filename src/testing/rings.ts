import { globSync } from 'node:fs'

/** The tests of one command: files of `src` and journeys of `e2e`, by path from the project's root. */
export interface Ring {
  readonly units: readonly string[]
  readonly journeys: readonly string[]
}

/**
 * Left to `npm run test:everything`: they start processes, wait for faults, look at each page in each state, or take longest.
 * Patterns; what none of them names is tried by `npm test`.
 */
export const OUTER_UNITS: readonly string[] = [
  'src/tools/{cli,faults,fuzz,simulate}/*.test.ts',
  'src/operating/{backup,cli,imports,start}/**/*.test.ts',
  'src/database/embedded/*.test.ts',
  // As long as all the others together: each route in each role, each write, each place that hides something.
  'src/kernel/rights/{routes,canaries,canary-webhooks}.test.ts',
  'src/web/{hostile-forms,page-cache/every-change}.test.ts',
  'src/doors/api/canaries.test.ts',
  'src/doors/agents/{canaries,conformance,differences}.test.ts',
  'src/text/markdown/bounds.test.ts',
  // Receivers that answer after ten seconds, if at all.
  'src/forum/webhooks/faults.test.ts',
  // The conformance suite is a process of its own.
  'src/accounts/apps/conformance.test.ts',
]

/** What people do most, one each: tried by `npm test` in a real Chromium. */
export const MAIN_JOURNEYS: readonly string[] = [
  'e2e/sign-in.spec.ts',
  'e2e/ask-answer-resolve.spec.ts',
  'e2e/find-an-answer.spec.ts',
  'e2e/keys.spec.ts',
  'e2e/no-script-runs.spec.ts',
  'e2e/narrow.spec.ts',
]

/** @returns inner: what `npm test` tries; outer: all the rest */
export function rings(): { readonly inner: Ring; readonly outer: Ring } {
  const outside = new Set(globSync([...OUTER_UNITS]))
  const units = globSync('src/**/*.test.ts').sort()
  const journeys = globSync('e2e/*.spec.ts').sort()
  const of = (isInner: boolean): Ring => ({
    units: units.filter((file) => outside.has(file) !== isInner),
    journeys: journeys.filter((file) => MAIN_JOURNEYS.includes(file) === isInner),
  })
  return { inner: of(true), outer: of(false) }
}
