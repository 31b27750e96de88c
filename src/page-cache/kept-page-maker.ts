import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { Change } from '../changes/change.ts'
import type { Changes } from '../changes/changes.ts'
import type { Asked } from './asked.ts'
import { concerns, mayBeLate, noteMissed } from './concerns.ts'
import { type Framed, inPieces, type Pieced } from './framed.ts'
import { type KeptPage, type KeptPages, LONGEST_OLD, TOO_OLD } from './kept-pages.ts'
import { type Answer, isStopping, type Rendered, renderForMany } from './page-rendering.ts'
import { Refresher } from './refresher.ts'

/** Addresses there are so many of that only those asked for twice are kept. */
const MANY = /[?&](?:after|before|q|tag)=/

/** A page whose predecessor was begun so few milliseconds before will soon be another one, too. */
const PASSING = 1000

/** A page under way. */
interface Making<Page> {
  readonly begunAt: number
  /** Heard since it was begun. */
  readonly changes: Change[]
  readonly made: Promise<Page | Answer>
  /** How many wait for it. */
  asking: number
  /** There once the page is kept though it may not show those changes: resolves when its successor is kept, or nothing is. */
  madeAnew?: Promise<void>
}

/** A page, or the answer that is none; and what it can be made again by. */
interface Made<Page> {
  readonly page: Page | Answer
  readonly framed: Framed | null
}

/** Makes of an answer what is kept; null: it is not for all who would get it. `isPassing`: it will soon be another one. */
export type Pack<Page> = (rendered: Rendered, asked: Asked, isPassing: boolean) => Promise<Page | null>

/** Makes pages that many see, one at a time of each, and keeps them until something on them changes. */
export class KeptPageMaker<Page extends KeptPage> {
  private readonly app: FastifyInstance
  private readonly changes: Changes
  private readonly kept: KeptPages<Page>
  private readonly pack: Pack<Page>
  private readonly underWay = new Map<string, Making<Page>>()
  private readonly askedOnce = new LRUCache<string, true>({ max: 20_000 })
  private readonly refresher = new Refresher((asked) => this.remake(asked))

  constructor(app: FastifyInstance, changes: Changes, kept: KeptPages<Page>, pack: Pack<Page>) {
    this.app = app
    this.changes = changes
    this.kept = kept
    this.pack = pack
    const stop = changes.listen({
      changed: (change) => this.hear(change),
      lost: () => {
        kept.clear()
        this.underWay.clear()
      },
    })
    app.addHook('onClose', async () => stop())
  }

  /** @returns the answer itself where it is no page to keep; null: the forum stops, and makes pages only for who asks */
  async find(asked: Asked): Promise<Page | Answer | null> {
    try {
      return this.kept.find(asked.key) ?? (await this.make(asked))
    } catch (error) {
      if (isStopping(error)) return null
      throw error
    }
  }

  /** @returns when nobody is sent a page any more that does not show this change; nothing: nobody is by now */
  private hear(change: Change): Promise<void> | void {
    const refreshed = this.kept.change(change).map((old) => {
      if (this.refresher.hasRoomFor(old.asked)) return this.refresher.refresh(old)
      return this.kept.drop(old.asked.key)
    })
    const ended = Array.from(this.underWay.values(), async (making) => {
      making.changes.push(change)
      await making.made.catch(() => undefined)
      await making.madeAnew
    })
    const all = [...refreshed, ...ended]
    if (all.length === 0) return
    const tooOld = past(performance.now() + LONGEST_OLD)
    return Promise.race([Promise.all(all), tooOld]).then(() => undefined)
  }

  /** Replaces a kept page by one that is begun now. One that cannot be made is not sent as it was either. */
  private async remake(asked: Asked): Promise<void> {
    const { key } = asked
    const now = performance.now()
    try {
      await this.underWay.get(key)?.made.catch(() => undefined)
      if (this.changes.isLive) await (this.underWay.get(key) ?? this.begin(asked)).made
    } catch (error) {
      if (!isStopping(error)) this.app.log.warn({ err: error }, 'a page that could not be made anew')
    }
    this.kept.dropOlder(key, now)
  }

  /**
   * Several who ask for one page at once wait for the same one. Who came after a change of something on it, which the page
   * may not show yet, asks again.
   */
  private async make(asked: Asked): Promise<Page | Answer> {
    const making = this.underWay.get(asked.key) ?? this.begin(asked)
    making.asking += 1
    const { made, changes } = making
    const before = changes.length
    const page = await made
    const missed = changes.slice(0, before)
    const isOld = 'shown' in page ? missed.some((change) => concerns(change, page.shown)) : before > 0
    return isOld ? (this.kept.get(asked.key) ?? this.make(asked)) : page
  }

  private begin(asked: Asked): Making<Page> {
    const begunAt = performance.now()
    const isHeard = this.changes.isLive
    const changes: Change[] = []
    const isPassing = begunAt - this.kept.begunAt(asked.key) < PASSING
    const made = this.render(asked, isPassing).then(({ page, framed }) => {
      // Begun while nobody listened, or gone from there as the connection was lost: what has changed since is not known.
      const isWatched = isHeard && this.underWay.get(asked.key) === making
      if (isWatched && 'shown' in page) this.keep(page, framed, making)
      return page
    })
    const making: Making<Page> = { begunAt, changes, made, asking: 0 }
    this.underWay.set(asked.key, making)
    const forget = () => {
      if (this.underWay.get(asked.key) === making) this.underWay.delete(asked.key)
    }
    made.then(forget, forget)
    return making
  }

  private async render(asked: Asked, isPassing: boolean): Promise<Made<Page>> {
    const rendered = (await this.madeAgain(asked)) ?? inPieces(await renderForMany(this.app, asked))
    const page = await this.pack(rendered, asked, isPassing)
    if (page !== null) this.kept.made += 1
    return { page: page ?? rendered.answer, framed: rendered.framed }
  }

  /** The page by its part; null: it is to be made as a whole, as it is where the part fails. */
  private async madeAgain({ key }: Asked): Promise<Pieced | null> {
    try {
      return (await this.kept.framed(key)?.withMissed()) ?? null
    } catch (error) {
      this.app.log.warn({ err: error }, 'a part that could not be made again')
      return null
    }
  }

  /**
   * What was read before a change is kept after it for a moment only, where many ask for it, or as what it can be made again
   * by; one of many addresses is not kept before it is asked for again.
   */
  private keep(page: Page, made: Framed | null, making: Making<Page>): void {
    const { asked, shown } = page
    const { begunAt, asking } = making
    const isWorthIt = !MANY.test(asked.url) || this.askedOnce.has(asked.key)
    const missed = noteMissed(shown, making.changes)
    const framed = missed.every((change) => made?.miss(change)) ? made : null
    const isOld = missed.length > 0
    const mayStay = missed.every(mayBeLate)
    if (isOld && mayStay && this.kept.isWanted(asked.key, asking) && this.refresher.hasRoomFor(asked)) {
      this.kept.set(page, { begunAt, asking, oldSince: begunAt, framed })
      making.madeAnew = this.refresher.refresh({ asked, begunAt })
    } else if (isWorthIt && (!isOld || (mayStay && framed !== null))) {
      this.kept.set(page, { begunAt, asking, oldSince: isOld ? TOO_OLD : null, framed })
    } else {
      this.askedOnce.set(asked.key, true)
    }
  }
}

/** Timers are counted from when a round of the event loop began, and are early by as long as it lasted. */
async function past(moment: number): Promise<void> {
  for (let now = performance.now(); now <= moment; now = performance.now()) {
    await sleep(moment - now + 1, undefined, { ref: false })
  }
}
