import type { Offenders } from './offenders.ts'
import { HOUR_MS } from './rhythm.ts'

/** What broke the rules, and for how long everyone could read it. Times in hours. */
export interface OffencesReport {
  readonly accounts: number
  readonly posts: number
  /** Posts that the forum refused, after a suspension. */
  readonly refused: number
  readonly reports: number
  /** Of posts that are still there: until the end. */
  readonly median: number
  readonly longest: number
  readonly stillVisible: number
}

export function offencesOf(
  { offences, accounts, refused, reports }: Pick<Offenders, 'offences' | 'accounts' | 'refused' | 'reports'>,
  end: number,
): OffencesReport {
  const all = [...offences.values()]
  const hours = all
    .map(({ postedAt, hiddenAt }) => ((hiddenAt ?? end) - postedAt) / HOUR_MS)
    .toSorted((one, other) => one - other)
  return {
    ...{ accounts, posts: all.length, refused, reports },
    median: hours[Math.floor(hours.length / 2)] ?? 0,
    longest: hours.at(-1) ?? 0,
    stillVisible: all.filter(({ hiddenAt }) => hiddenAt === null).length,
  }
}

export function offenceLines(report: OffencesReport): string[] {
  const { accounts, posts, refused, reports, median, longest, stillVisible } = report
  const hours = (value: number) => `${value.toFixed(1)} h`
  return [
    `spam and rude posts: ${posts} by ${accounts} accounts, ${reports} reports, ${refused} more refused after a suspension`,
    `visible until staff hid them: median ${hours(median)}, longest ${hours(longest)}; ${stillVisible} still visible at the end`,
  ]
}
