import { createHash } from 'node:crypto'
import { type Rank, three } from '../recall-measures.ts'

/** The half of a question, chosen by a hash of its title: what suits one half alone shows in the other. */
export function halfOf(title: string): 'first' | 'second' {
  return (createHash('sha256').update(title).digest()[0] ?? 0) % 2 === 0 ? 'first' : 'second'
}

/** First, within three, within five, and mean reciprocal rank of ten, each with its interval of 95 %. */
export function cellsOf(ranks: readonly Rank[]): string[] {
  const within = (most: number) => ranks.map((rank) => (rank !== null && rank <= most ? 1 : 0))
  const reciprocal = ranks.map((rank) => (rank !== null && rank <= 10 ? 1 / rank : 0))
  return [within(1), within(3), within(5), reciprocal].map(withInterval)
}

/** A mean and how far it may be off: 1.96 standard errors. */
export function withInterval(values: readonly number[]): string {
  const mean = values.reduce((sum, value) => sum + value, 0) / Math.max(values.length, 1)
  const variance =
    values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / Math.max(values.length - 1, 1)
  return `${three(mean)} ± ${three(1.96 * Math.sqrt(variance / Math.max(values.length, 1)))}`
}
