import { randomUUID } from 'node:crypto'
import accepts from '@fastify/accepts'
import cookie from '@fastify/cookie'
import etag from '@fastify/etag'
import fastify, { type FastifyInstance, LogController } from 'fastify'
import type { Registry } from 'prom-client'
import { logSerializers } from './accounts/link-routes.ts'
import { registerAccounts } from './accounts/routes.ts'
import { registerAnswers } from './answers/routes.ts'
import type { Changes } from './changes/changes.ts'
import type { Config } from './config.ts'
import { registerCourses } from './courses/routes.ts'
import type { Database } from './database/schema.ts'
import { registerFeeds } from './feeds/routes.ts'
import { registerFollows } from './follows/routes.ts'
import { registerLive } from './live/routes.ts'
import { registerRobots } from './machines/robots.ts'
import { registerSitemap } from './machines/sitemap.ts'
import { registerMail } from './mail/routes.ts'
import { registerMemberPages } from './page-cache/member-pages.ts'
import { registerSharedPages } from './page-cache/shared-pages.ts'
import { registerPeople } from './people/routes.ts'
import { registerAsking } from './questions/ask.ts'
import { registerQuestionEditing } from './questions/edit.ts'
import { registerResolution } from './questions/resolution-routes.ts'
import { registerQuestions } from './questions/routes.ts'
import { registerViewCounter } from './questions/view-counter.ts'
import { registerReplies } from './replies/routes.ts'
import { registerIndexing } from './search/indexing.ts'
import { registerSearch } from './search/routes.ts'
import { registerSimilar } from './search/similar-routes.ts'
import { registerTags } from './tags/routes.ts'
import { registerVotes } from './votes/routes.ts'
import { readableAddress, registerUnreadable } from './web/addresses.ts'
import { registerAssets } from './web/assets.ts'
import { BODY_LIMIT, registerBodies } from './web/body.ts'
import { answerBrokenRequest } from './web/client-errors.ts'
import { registerClosing } from './web/closing.ts'
import { registerCompression } from './web/compression.ts'
import { registerCsrf } from './web/csrf.ts'
import { hashOf } from './web/entity-tag.ts'
import { registerErrors } from './web/errors.ts'
import { registerFlash } from './web/flash.ts'
import { Front } from './web/front.ts'
import { registerHeaders } from './web/headers.ts'
import { registerHealth } from './web/health.ts'
import { registerHttpsOnly } from './web/https-only.ts'
import { registerLimits } from './web/limits.ts'
import { registerSession } from './web/session.ts'
import { registerShedding } from './web/shedding.ts'
import { registerViews } from './web/views.ts'

declare module 'fastify' {
  interface FastifyInstance {
    readonly config: Config
    readonly db: Database
    /** What any process changes; null: nobody tells. */
    readonly changes: Changes | null
    /** What is measured; null: nothing. */
    readonly metrics: Registry | null
  }
  interface FastifyContextConfig {
    /** The same for everybody: no session is looked up. */
    isPublic?: boolean
  }
}

/**
 * The forum as a Fastify app, ready to listen or to be injected. Database and changes are the caller's to close.
 * @param changes what any process changes; null: nobody tells, so that nothing is kept
 * @param lines gets the log; standard output otherwise
 */
export async function createApp(
  config: Config,
  db: Database,
  secret: string,
  changes: Changes | null = null,
  lines?: { write(line: string): void },
): Promise<FastifyInstance> {
  const front = new Front()
  const app: FastifyInstance = fastify({
    serverFactory: front.serverFactory,
    logger: { level: config.logLevel, serializers: logSerializers, ...(lines && { stream: lines }) },
    // A line per event that matters, not two per page: events log themselves.
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    bodyLimit: BODY_LIMIT,
    trustProxy: config.trustProxy.length === 0 ? false : [...config.trustProxy],
    rewriteUrl: (request) => readableAddress(request.url ?? '/'),
    // As long as Node takes headers: a name too long for a route is no page either.
    routerOptions: { maxParamLength: 16_384, ignoreTrailingSlash: true },
    requestTimeout: 30_000,
    // Who is connected while the forum stops is served: the answer ends the connection (closing.ts).
    return503OnClosing: false,
    connectionTimeout: 60_000,
    clientErrorHandler: (error, socket) => answerBrokenRequest(app.log, error, socket),
  })
  app.decorate('config', config)
  app.decorate('db', db)
  app.decorate('changes', changes)
  app.decorate(
    'metrics',
    config.metrics === null ? null : (await import('./metrics/measure.ts')).measure(app),
  )
  await app.register(accepts)
  registerHttpsOnly(app, config.baseUrl)
  registerSharedPages(app, front)
  registerHeaders(app, config.baseUrl)
  registerClosing(app)
  await app.register(cookie, { secret })
  await app.register(etag, { hashFn: hashOf })
  registerCompression(app)
  await registerBodies(app)
  registerFlash(app)
  await registerShedding(app)
  registerSession(app)
  await registerViews(app, await registerAssets(app))
  await registerCsrf(app, secret)
  registerMemberPages(app)
  await registerLimits(app)
  registerErrors(app)
  registerUnreadable(app)
  registerHealth(app)
  registerAccounts(app)
  registerViewCounter(app, secret)
  registerQuestions(app)
  registerAsking(app)
  registerQuestionEditing(app)
  registerResolution(app)
  registerAnswers(app)
  registerReplies(app)
  registerVotes(app)
  registerIndexing(app)
  registerSearch(app)
  registerSimilar(app)
  registerFollows(app)
  registerLive(app)
  registerCourses(app)
  registerTags(app)
  registerPeople(app)
  registerMail(app)
  registerFeeds(app)
  registerSitemap(app)
  registerRobots(app)
  return app
}
