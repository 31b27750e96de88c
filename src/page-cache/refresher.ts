import { setTimeout as sleep } from 'node:timers/promises'
import type { Asked } from './asked.ts'
import { LONGEST_OLD, type OldPage } from './kept-pages.ts'

/** A page is not begun again sooner than this after it was begun, in milliseconds: one making then shows several changes. */
const REST = 80
/** So many pages wait to be made anew; further ones are made when somebody asks. */
const MOST = 100

/** Makes pages anew that are still sent as they were. */
export class Refresher {
  private readonly make: (asked: Asked) => Promise<void>
  private readonly waiting = new Map<string, Promise<void>>()

  /** @param make begins when it is called; when it ends, the page it made is kept, or none is */
  constructor(make: (asked: Asked) => Promise<void>) {
    this.make = make
  }

  get isFull(): boolean {
    return this.waiting.size >= MOST
  }

  /** Resolves once the page shows what had changed when this was called, or is not sent any more. */
  refresh({ asked, begunAt }: OldPage): Promise<void> {
    const made = this.waiting.get(asked.key) ?? this.makeAfterRest(asked, begunAt)
    this.waiting.set(asked.key, made)
    return Promise.race([made, sleep(LONGEST_OLD, undefined, { ref: false })])
  }

  private async makeAfterRest(asked: Asked, begunAt: number): Promise<void> {
    await sleep(Math.max(0, begunAt + REST - performance.now()), undefined, { ref: false })
    this.waiting.delete(asked.key)
    await this.make(asked)
  }
}
