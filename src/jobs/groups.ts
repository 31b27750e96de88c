import type { Job } from './table.ts'

/** One job for each key. */
export function oneOfEach<Some extends Job>(jobs: readonly Some[]): Some[] {
  return [...new Map(jobs.map((job) => [job.key, job])).values()]
}

/** Jobs in groups of at most `size` keys; those of one key stay together. */
export function chunksOf<Some extends Job>(jobs: readonly Some[], size: number): Some[][] {
  const byKey = [...Map.groupBy(jobs, ({ key }) => key).values()]
  const count = Math.ceil(byKey.length / size)
  return Array.from({ length: count }, (_, index) => byKey.slice(index * size, (index + 1) * size).flat())
}
