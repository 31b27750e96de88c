import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { z } from 'zod'
import { Random } from '../../generate/random.ts'

const ranked = z.object({
  set: z.string(),
  query: z.string(),
  /** Of the first right one, from 1; null: it is not among those that count. */
  rank: z.number().nullable(),
  /** What plain BM25 has; absent: nothing to compare with. */
  plain: z.number().nullable().optional(),
})

/** How one query of a set was answered: a line of a file of ranks. */
export type Ranked = z.infer<typeof ranked>

export function saveRanks(path: string, all: readonly Ranked[]): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, all.map((one) => `${JSON.stringify(one)}\n`).join(''))
}

export function readRanks(path: string): Ranked[] {
  const lines = readFileSync(path, 'utf8').split('\n')
  return lines.flatMap((line) => (line === '' ? [] : [ranked.parse(JSON.parse(line))]))
}

type Rank = Ranked['rank']

/** Ranks that count; what is behind them is as good as not found. */
const MOST = 10

/** @returns from 1; null: none of the right ones is among the first ten */
export function rankOf(found: readonly number[], right: readonly number[]): Rank {
  const place = found.slice(0, MOST).findIndex((index) => right.includes(index))
  return place < 0 ? null : place + 1
}

const reciprocal = (rank: Rank) => (rank === null ? 0 : 1 / rank)
const meanOf = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(values.length, 1)

/** The share within so many, and the mean reciprocal rank. */
export const shareWithin = (ranks: readonly Rank[], most: number) =>
  meanOf(ranks.map((rank) => (rank !== null && rank <= most ? 1 : 0)))
export const meanReciprocal = (ranks: readonly Rank[]) => meanOf(ranks.map(reciprocal))

const SEED = 20_261_128
const SAMPLES = 2000
const LEAST = Math.round(0.025 * SAMPLES)

/**
 * The same queries answered twice, in the same order: how many got better and worse, by how many ranks together (one that was not
 * found counts as eleventh), and the difference of mean reciprocal ranks with its interval of 95 % (paired bootstrap; Efron 1979).
 */
export function compared(before: readonly Rank[], after: readonly Rank[]) {
  const places = after.map((rank, index) => (before[index] ?? MOST + 1) - (rank ?? MOST + 1))
  const [better, worse] = [places.filter((by) => by > 0), places.filter((by) => by < 0)]
  const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0)
  const changes = after.map((rank, index) => reciprocal(rank) - reciprocal(before[index] ?? null))
  const random = new Random(SEED)
  const means = Array.from({ length: SAMPLES }, () => {
    let sum = 0
    for (let drawn = 0; drawn < changes.length; drawn += 1) sum += changes[random.below(changes.length)] ?? 0
    return sum / Math.max(changes.length, 1)
  }).sort((one, other) => one - other)
  return {
    better: better.length,
    betterBy: sumOf(better),
    worse: worse.length,
    worseBy: -sumOf(worse),
    change: meanOf(changes),
    least: means[LEAST] ?? 0,
    most: means[SAMPLES - 1 - LEAST] ?? 0,
  }
}
