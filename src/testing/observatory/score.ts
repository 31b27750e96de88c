import { cookieRule } from './cookies.ts'
import { integrityRule, redirectionRule } from './elsewhere.ts'
import { framingRule, hstsRule, referrerRule, resourceRule, sharingRule, sniffingRule } from './headers.ts'
import { policyRule } from './policy.ts'
import type { Scanned, Verdict } from './scan.ts'

export interface Score {
  readonly score: number
  /** `A+` to `F`. */
  readonly grade: string
  readonly verdicts: readonly Verdict[]
}

/** From where the scanner says to ask: nobody a site would name. */
export const SCANNER = 'https://scanner.example'

/** A score so high, before what is given beyond it, gets the bonuses too. */
const WELL_ENOUGH = 90

const GRADES = [
  [100, 'A+'],
  [90, 'A'],
  [85, 'A-'],
  [80, 'B+'],
  [70, 'B'],
  [65, 'B-'],
  [60, 'C+'],
  [50, 'C'],
  [45, 'C-'],
  [40, 'D+'],
  [30, 'D'],
  [25, 'D-'],
] as const

/**
 * Scores an answer by the rules and modifiers of the MDN HTTP Observatory: https://developer.mozilla.org/en-US/observatory/docs/tests_and_scoring
 * and src/grader/charts.js of mdn/mdn-http-observatory, read in November 2026. Its own package loads lists while it is
 * installed, so these are the rules written again; left out are the list of preloaded sites and policies in `<meta>`, which
 * we have none of.
 */
export function observatoryScore(scanned: Scanned): Score {
  const verdicts = [
    policyRule(scanned),
    cookieRule(scanned),
    sharingRule(scanned, SCANNER),
    redirectionRule(scanned),
    referrerRule(scanned),
    hstsRule(scanned),
    integrityRule(scanned),
    sniffingRule(scanned),
    framingRule(scanned),
    resourceRule(scanned),
  ]
  const points = verdicts.map(({ modifier }) => modifier)
  const penalized = 100 + sum(points.filter((modifier) => modifier < 0))
  const score = Math.max(0, penalized >= WELL_ENOUGH ? 100 + sum(points) : penalized)
  return { score, grade: GRADES.find(([least]) => score >= least)?.[1] ?? 'F', verdicts }
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)
