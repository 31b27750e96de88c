/** Anything with an end: a test's context `t`. */
export interface Ending {
  after(work: () => Promise<void>): void
}

const works = new WeakMap<Ending, (() => unknown)[]>()

/**
 * Runs cleanups after the test in reverse order: an app closes before its database. One that fails fails the test, after the
 * others: a process that was left would keep the test's from ending.
 */
export function atEnd(test: Ending, work: () => unknown): void {
  const known = works.get(test)
  if (known !== undefined) {
    known.push(work)
    return
  }
  const list = [work]
  works.set(test, list)
  test.after(async () => {
    const failures: unknown[] = []
    for (const last of list.toReversed())
      await Promise.try(last).catch((error: unknown) => failures.push(error))
    if (failures.length > 0) throw failures[0]
  })
}
