import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { Person } from '../accounts/person.ts'
import type { Changes } from '../changes/changes.ts'
import { hasPartIn } from '../questions/has-part-in.ts'
import { languageOfRequest } from '../web/language.ts'
import { isKeepable } from './keepable.ts'
import { KeptPageMaker } from './kept-page-maker.ts'
import { KeptPages } from './kept-pages.ts'
import { type MemberPage, memberPage, sendMemberPage } from './member-page.ts'
import { readerLike } from './reader.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A shared page that looks the same to all who are signed in and have the same rights, but for what SLOTS names. */
    isForMembers?: boolean
  }
  interface FastifyInstance {
    /** Of people who are signed in; null: pages are not kept. */
    readonly keptMemberPages: KeptPages<MemberPage> | null
  }
}

/** Bytes of all pages that one process keeps. */
const ROOM = 52 * 2 ** 20

/** Who was found to have no part in a question is remembered for so many, in some 5 MB. */
const STRANGERS = 50_000

/** Keeps what is the same in the pages of people who are signed in: README.md beside this file has the rules. */
export function registerMemberPages(app: FastifyInstance): void {
  const { changes } = app
  const kept = changes !== null && app.config.pageCache ? new KeptPages<MemberPage>(ROOM) : null
  app.decorate('keptMemberPages', kept)
  if (changes === null || kept === null) return
  const pages = new MemberPages(app, changes, kept)
  app.addHook('onRequest', (request, reply, done) => {
    const { person } = request
    if (person === null || !pages.isAsked(request)) return done()
    pages.answer(request, reply, person).then((isAnswered) => {
      if (!isAnswered) done()
    }, done)
  })
}

class MemberPages {
  private readonly app: FastifyInstance
  private readonly changes: Changes
  private readonly maker: KeptPageMaker<MemberPage>
  /** Who has no part in a question, by both their ids, and the page that this was asked for. */
  private readonly strangers = new LRUCache<string, number>({ max: STRANGERS })

  constructor(app: FastifyInstance, changes: Changes, kept: KeptPages<MemberPage>) {
    this.app = app
    this.changes = changes
    this.maker = new KeptPageMaker(app, changes, kept, async (rendered, asked, isPassing) =>
      memberPage(rendered, asked, isPassing),
    )
  }

  isAsked(request: FastifyRequest): boolean {
    const { method, url, cookies } = request
    return (
      request.routeOptions.config.isForMembers === true &&
      (method === 'GET' || method === 'HEAD') &&
      this.changes.isLive &&
      request.shown === null &&
      request.sessionFailure === null &&
      request.hasFormSecret &&
      !this.app.isClosing &&
      cookies.flash === undefined &&
      isKeepable(url)
    )
  }

  /** @returns false: somebody who is asking sees another page than others, and it is still to be made for them */
  async answer(request: FastifyRequest, reply: FastifyReply, person: Person): Promise<boolean> {
    const { url } = request
    const language = languageOfRequest(request)
    const reader = readerLike({ ...person, language }, await this.app.courses.publicity())
    const key = `${JSON.stringify(reader)} ${url}`
    const page = await this.maker.find({ key, url, language, encoding: 'gzip', reader })
    if (page === null || !('shown' in page) || (await this.isOwn(page, person))) return false
    if (page.shown.viewed !== null) this.app.views.note(request, page.shown.viewed)
    sendMemberPage(page, request, reply, person)
    return true
  }

  /** Whoever takes part in a question from now on changes its page by that, so that another one is kept. */
  private async isOwn({ shown: { thread }, serial }: MemberPage, { id }: Person): Promise<boolean> {
    if (thread === null) return false
    if (thread.writers.has(id)) return true
    const key = `${thread.id} ${id}`
    if (this.strangers.get(key) === serial) return false
    if (await hasPartIn(this.app.db, id, thread.id)) return true
    this.strangers.set(key, serial)
    return false
  }
}
