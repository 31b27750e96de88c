/** Whatever can tell when it is over: a test's context `t`. */
export interface Ending {
  after(work: () => Promise<void>): void
}

const works = new WeakMap<Ending, (() => Promise<void>)[]>()

/** Does the work when the test is over, the last first: an app closes before the database it uses. */
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
