import fc from 'fast-check'

const SEED = 20260919
/** Factor for the number of random values, different in each run; if unset, every run tries the same values. */
const times = Number(process.env.TRIES ?? 0)

/**
 * Fails with a minimal counterexample of a property. Every run tries the same values, so that its outcome depends on
 * the code alone; `TRIES=50 npm run test:unit -- FILE` tries others.
 * @param runs number of values
 */
export function holds<Values>(property: fc.IAsyncProperty<Values>, runs?: number): Promise<void>
export function holds<Values>(property: fc.IProperty<Values>, runs?: number): void
export function holds<Values>(
  property: fc.IAsyncProperty<Values> | fc.IProperty<Values>,
  runs = 100,
): Promise<void> | void {
  return fc.assert(property, times > 0 ? { numRuns: runs * times } : { numRuns: runs, seed: SEED })
}
