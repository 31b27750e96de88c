import type { FastifyInstance, FastifyRequest } from 'fastify'
import { notFound } from '../../operations/problem.ts'
import { isApiAddress } from '../addresses.ts'
import type { Front } from '../front.ts'
import { answerMember } from './member-pages.ts'
import { currentRendering, type Rendering } from './rendering.ts'
import { SharedPages, type Template, templateOf } from './shared-pages.ts'
import { type SharedRoute, sharedUrl } from './shared-url.ts'
import { forVisitors } from './visitor-pages.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The page looks the same to all visitors; its handler tells `request.rendering` what it depends on. */
    shared?: SharedRoute
  }
  interface FastifyRequest {
    /** The shared page that this request renders; null: it is answered for its sender alone. */
    readonly rendering: Rendering | null
  }
  interface FastifyInstance {
    /** null: pages are not cached. */
    readonly pageCache: {
      readonly visitors: SharedPages<string>
      readonly members: SharedPages<Template>
    } | null
  }
}

const MAX_VISITORS_BYTES = 36 * 2 ** 20
const MAX_MEMBERS_BYTES = 40 * 2 ** 20

/** First of all hooks that know a request: what a shared page is rendered from never reaches a page that is not shared. */
export function registerRendering(app: FastifyInstance): void {
  app.decorateRequest('rendering', { getter: currentRendering })
  app.addHook('onRequest', (request, _reply, done) => {
    const { rendering, routeOptions } = request
    if (rendering === null) return done()
    rendering.tally = routeOptions.config.tally ?? null
    done(routeOptions.config.shared === undefined ? notFound() : undefined)
  })
  // The author of a change sees it on the next page.
  app.addHook('onSend', async ({ method }) => {
    if (method !== 'GET' && method !== 'HEAD') await app.changes?.caughtUp()
  })
}

/** Answers from the cache, once it is known who asks: README.md beside this file has the rules. */
export function registerPageCache(app: FastifyInstance, front: Front): void {
  const { changes: feed } = app
  if (feed === null || !app.config.pageCache) {
    app.decorate('pageCache', null)
    return
  }
  const visitors = new SharedPages(app, feed, MAX_VISITORS_BYTES, (payload) => payload.toString('latin1'))
  const members = new SharedPages(app, feed, MAX_MEMBERS_BYTES, templateOf)
  app.decorate('pageCache', { visitors, members })
  const toVisitors = forVisitors(app, visitors)
  front.answer = toVisitors.sendCached
  app.addHook('onRequest', async (request, reply) => {
    const { person } = request
    const url = feed.isLive && !app.isClosing ? sharedUrlOf(request) : null
    if (url === null) return
    const isAnswered =
      person === null
        ? await toVisitors.answer(request, reply, url)
        : await answerMember(members, request, reply, person, url)
    if (isAnswered) return reply
  })
}

/** @returns null: the page is to be rendered for this request alone */
function sharedUrlOf(request: FastifyRequest): string | null {
  const { shared, isApi = false } = request.routeOptions.config
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  if (shared === undefined || !isRead || request.rendering !== null) return null
  if (request.sessionFailure !== null || request.cookies.flash !== undefined) return null
  // The cache knows programs by the address: `/%61pi/v1` is rendered each time.
  if (isApi !== isApiAddress(request.url)) return null
  if (isApi && request.headers.authorization !== undefined) return null
  if (request.person !== null && shared.isForMembers !== true) return null
  return sharedUrl(request.url, shared)
}
