import { AsyncLocalStorage } from 'node:async_hooks'
import type { FastifyInstance } from 'fastify'
import type { Response } from 'light-my-request'
import { LRUCache } from 'lru-cache'
import type { Change } from '../changes/change.ts'
import type { Changes } from '../changes/changes.ts'
import type { Language } from '../database/schema.ts'
import { concerns } from './concerns.ts'
import type { KeptPage, KeptPages } from './kept-pages.ts'
import type { Reader } from './reader.ts'
import { Shown } from './shown.ts'

/** Addresses there are so many of that only those asked for twice are kept. */
const MANY = /[?&](?:after|before|q|tag)=/

/** What a kept page is found by, and made from: an address, a language, and what sort of person reads. */
export interface Asked {
  readonly key: string
  readonly url: string
  readonly language: Language
  /** null: a visitor. */
  readonly reader: Reader | null
}

/** What a page is being made of that is for many: nothing of any request but its address is in it. */
const making = new AsyncLocalStorage<Shown>()

/** Collects what the page shows that is being made here; null: what is made here is for one person. */
export function shownHere(): Shown | null {
  return making.getStore() ?? null
}

/** A page under way, and the changes heard since it was begun. */
interface Making<Page> {
  readonly changes: Change[]
  readonly made: Promise<Page | Response>
}

/** Makes pages that many see, one at a time of each, and keeps those that nothing changed while they were made. */
export class KeptPageMaker<A extends Asked, Page extends KeptPage> {
  private readonly app: FastifyInstance
  private readonly kept: KeptPages<Page>
  private readonly pack: (response: Response, shown: Shown, asked: A) => Promise<Page | null>
  private readonly underWay = new Map<string, Making<Page>>()
  private readonly askedOnce = new LRUCache<string, true>({ max: 20_000 })

  /** @param pack makes of an answer what is kept; null: it is not for all who would get it */
  constructor(
    app: FastifyInstance,
    changes: Changes,
    kept: KeptPages<Page>,
    pack: (response: Response, shown: Shown, asked: A) => Promise<Page | null>,
  ) {
    this.app = app
    this.kept = kept
    this.pack = pack
    const stop = changes.listen({
      changed: (change) => {
        kept.drop(change)
        for (const { changes: since } of this.underWay.values()) since.push(change)
      },
      lost: () => {
        kept.clear()
        this.underWay.clear()
      },
    })
    app.addHook('onClose', async () => stop())
  }

  /** @returns the answer itself where it is no page to keep; null: the forum stops, and makes pages only for who asks */
  async find(asked: A): Promise<Page | Response | null> {
    try {
      return this.kept.find(asked.key) ?? (await this.make(asked))
    } catch (error) {
      if (isStopping(error)) return null
      throw error
    }
  }

  /**
   * Several who ask for one page at once wait for the same one. Who came after a change of something on it, which the page
   * may not show yet, asks again.
   */
  private async make(asked: A): Promise<Page | Response> {
    const { made, changes } = this.underWay.get(asked.key) ?? this.begin(asked)
    const before = changes.length
    const page = await made
    const missed = changes.slice(0, before)
    const isOld = 'shown' in page ? missed.some((change) => concerns(change, page.shown)) : before > 0
    return isOld ? (this.kept.get(asked.key) ?? this.make(asked)) : page
  }

  private begin(asked: A): Making<Page> {
    const changes: Change[] = []
    const made = this.render(asked).then((page) => {
      // Gone from there after the connection was lost: what has changed since is not known.
      const isWatched = this.underWay.get(asked.key) === making
      if (isWatched && 'shown' in page) this.keep(asked, page, changes)
      return page
    })
    const making = { changes, made }
    this.underWay.set(asked.key, making)
    const end = () => {
      if (this.underWay.get(asked.key) === making) this.underWay.delete(asked.key)
    }
    made.then(end, end)
    return making
  }

  private async render(asked: A): Promise<Page | Response> {
    const { url, language, reader } = asked
    const shown = new Shown(reader)
    // Awaited inside: the request begins only when somebody waits for it.
    const response = await making.run(
      shown,
      async () => await this.app.inject({ method: 'GET', url, headers: { 'accept-language': language } }),
    )
    const page = await this.pack(response, shown, asked)
    if (page !== null) this.kept.made += 1
    return page ?? response
  }

  /** What was read before a change must not be kept after it; nor one of many addresses before it is asked for again. */
  private keep({ key, url }: A, page: Page, changes: readonly Change[]): void {
    if (changes.some((change) => concerns(change, page.shown))) return
    const isWanted = !MANY.test(url) || this.askedOnce.has(key)
    if (isWanted) this.kept.set(key, page)
    else this.askedOnce.set(key, true)
  }
}

/** While it stops, Fastify takes no request of our own making. */
function isStopping(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'FST_ERR_REOPENED_CLOSE_SERVER'
}
