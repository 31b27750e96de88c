import type { Asked } from './asked.ts'
import type { OldPage } from './kept-pages.ts'

/** A page is not begun again sooner than this after it was begun, in milliseconds: one making then shows several changes. */
const REST = 170
/** So few are made at once that each is there soon, and readers are hardly held up. */
const AT_ONCE = 2
/** So many pages wait to be made anew; further ones are made when somebody asks. */
const MOST = 100

interface Waiting {
  readonly asked: Asked
  readonly made: PromiseWithResolvers<void>
}

/** Makes pages anew that are still sent as they were, a few at once. */
export class Refresher {
  private readonly make: (asked: Asked) => Promise<void>
  private readonly waiting = new Map<string, Waiting>()
  private readonly ready: Waiting[] = []
  private running = 0

  /** @param make begins when it is called; when it ends, what it made is kept, or nothing is. Must not reject */
  constructor(make: (asked: Asked) => Promise<void>) {
    this.make = make
  }

  hasRoomFor({ key }: Asked): boolean {
    return this.waiting.size < MOST || this.waiting.has(key)
  }

  /** Resolves once a page is kept that was begun later than this was called, or none is. */
  refresh({ asked, begunAt }: OldPage): Promise<void> {
    const known = this.waiting.get(asked.key)
    if (known !== undefined) return known.made.promise
    const one = { asked, made: Promise.withResolvers<void>() }
    this.waiting.set(asked.key, one)
    const rested = () => {
      this.ready.push(one)
      this.run()
    }
    setTimeout(rested, Math.max(0, begunAt + REST - performance.now())).unref()
    return one.made.promise
  }

  private run(): void {
    if (this.running >= AT_ONCE) return
    const one = this.ready.shift()
    if (one === undefined) return
    this.waiting.delete(one.asked.key)
    this.running += 1
    void this.make(one.asked).then(() => {
      this.running -= 1
      one.made.resolve()
      this.run()
    })
  }
}
