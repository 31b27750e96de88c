/** Anything with an end: a test's context `t`. */
export interface Ending {
  after(work: () => Promise<void>): void
}

const works = new WeakMap<Ending, (() => Promise<void>)[]>()

/** Runs cleanups after the test in reverse order: an app closes before its database. */
export function atEnd(test: Ending, work: () => Promise<void>): void {
  const known = works.get(test)
  if (known !== undefined) {
    known.push(work)
    return
  }
  const list = [work]
  works.set(test, list)
  test.after(async () => {
    for (const last of list.reverse()) await last()
  })
}
