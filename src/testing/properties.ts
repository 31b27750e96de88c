import fc from 'fast-check'

const SEED = 20260919
/** How many times as many values are tried, new ones each time; unset, the same values are tried in every run. */
const times = Number(process.env.TRIES ?? 0)

/**
 * Fails with the smallest values found for which a property does not hold. The same values are tried each time, so that
 * a run's outcome tells of the code alone; `TRIES=50 npm run test:unit -- FILE` looks for others.
 * @param runs how many values are tried
 */
export function holds<Values>(property: fc.IAsyncProperty<Values>, runs?: number): Promise<void>
export function holds<Values>(property: fc.IProperty<Values>, runs?: number): void
export function holds<Values>(
  property: fc.IAsyncProperty<Values> | fc.IProperty<Values>,
  runs = 100,
): Promise<void> | void {
  return fc.assert(property, times > 0 ? { numRuns: runs * times } : { numRuns: runs, seed: SEED })
}
