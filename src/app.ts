import { randomUUID } from 'node:crypto'
import accepts from '@fastify/accepts'
import cookie from '@fastify/cookie'
import fastify, { type FastifyInstance, LogController } from 'fastify'
import type { Registry } from 'prom-client'
import { keepForm } from './accounts/sessions/kept-forms.ts'
import { registerSession } from './accounts/sessions/session.ts'
import type { Config } from './config.ts'
import type { Database } from './database/schema.ts'
import { findMoved } from './forum/converting/moved.ts'
import { pictureStore } from './forum/pictures/picture-store.ts'
import type { FileStore } from './forum/pictures/store.ts'
import { registerPolicyLinks } from './forum/policies/policy.ts'
import { BODY_LIMIT } from './kernel/limits.ts'
import { ROOMS } from './rooms.ts'
import type { SecretKeys } from './secrets/keys.ts'
import { registerAssets } from './web/assets.ts'
import { registerAuditLog } from './web/audit-log.ts'
import type { ChangeFeed } from './web/change-feed/change-feed.ts'
import { registerCsrf } from './web/csrf.ts'
import { registerErrors } from './web/errors.ts'
import { registerFlash } from './web/flash.ts'
import { registerForms } from './web/forms/door.ts'
import { registerKeptCourse } from './web/forms/kept-course.ts'
import { registerJobs } from './web/jobs.ts'
import { registerLimits, registerRenderLimit } from './web/limits/limits.ts'
import { registerPageCache, registerRendering } from './web/page-cache/page-cache.ts'
import { readableAddress, registerUnreadable } from './web/transport/addresses.ts'
import { registerBodies } from './web/transport/body.ts'
import { registerCompression } from './web/transport/compression.ts'
import {
  answerBrokenRequest,
  refuseTunnels,
  registerClosing,
  registerConnectionLimit,
  registerLingering,
} from './web/transport/connections.ts'
import { registerEntityTags } from './web/transport/entity-tag.ts'
import { Front } from './web/transport/front.ts'
import { registerHeaders, registerHttpsOnly, registerMinimalAnswers } from './web/transport/headers.ts'
import { registerHealth } from './web/transport/health.ts'
import { logSerializers } from './web/transport/log-serializers.ts'
import { outagesToldOnce } from './web/transport/outages.ts'
import { registerShedding } from './web/transport/shedding.ts'
import { registerWithoutCookies } from './web/transport/without-cookies.ts'
import { registerViews } from './web/views.ts'

declare module 'fastify' {
  interface FastifyInstance {
    readonly config: Config
    readonly db: Database
    /** The secrets of SECRET: what must be read back is sealed with them (src/secrets/sealed.ts). */
    readonly secretKeys: SecretKeys
    /** null: no changes are announced, so that nothing is cached. */
    readonly changes: ChangeFeed | null
    /** Where uploaded pictures are, and what comes into a course or leaves it. */
    readonly pictures: FileStore
    /** What is measured; null: nothing. */
    readonly metrics: Registry | null
  }
  interface FastifyContextConfig {
    /** The same for everybody: no session is looked up. */
    isPublic?: boolean
  }
}

/** What the steps before the rooms are made of. */
interface Made {
  readonly config: Config
  readonly keys: SecretKeys
  readonly front: Front
}

/** What a request meets before its room, in this order, and why there. Hooks of one kind run in the order of registration. */
const STORY: readonly ((app: FastifyInstance, made: Made) => unknown)[] = [
  // Whoever speaks plain HTTP is led away before anything of them is read, or set.
  (app, { config }) => registerHttpsOnly(app, config),
  // What a shared page is rendered from never reaches a page that is not shared: the first hook that knows a request.
  registerRendering,
  // Each answer has them, also one that a later step refuses.
  (app, { config }) => registerHeaders(app, config),
  // Who is connected while the forum stops is served, and let go.
  registerClosing,
  // A tunnel is no request for a page: nothing below has to know of it.
  refuseTunnels,
  // A program's cookies are gone before anything could read them.
  registerWithoutCookies,
  // What of cookies is left is read, and its signature checked: sessions, messages and forms need it.
  (app, { keys }) => app.register(cookie, { secret: [...keys] }),
  // Looks at the answer before it is compressed: what is known already is not sent.
  registerEntityTags,
  // Compresses what is left to send, whatever the steps below make of it.
  registerCompression,
  // A body is read under its limits before any step that looks into a form.
  registerBodies,
  // Cookies of the last answer: needs the cookies above, and is needed by pages of errors.
  registerFlash,
  // Where an answer leads keeps the course of the page that its form was on.
  registerKeptCourse,
  // A script is told where an answer leads: after the step that changes that.
  registerMinimalAnswers,
  // A visitor's form waits for the sign-in: errors, limits and the session lead there.
  (app) => app.decorate('keepForm', keepForm),
  // What isn't at an address may be at another one: errors lead there.
  (app) => app.decorate('findMoved', findMoved),
  // Writes what a request noted once it is answered: before the session, whose end is noted too.
  registerAuditLog,
  // Who asks. All below may know it.
  registerSession,
  // Views name the hashed addresses of assets.
  async (app) => registerViews(app, await registerAssets(app)),
  // A form's token belongs to the session.
  (app, { keys }) => registerCsrf(app, keys),
  // The footer of each page, so also of those that refuse.
  registerPolicyLinks,
  // Before the cache, which asks it for each page that it has to render.
  registerRenderLimit,
  // Answers from here what was rendered before: nothing below costs a cached page anything.
  (app, { front }) => registerPageCache(app, front),
  // While all is late, only cached pages are answered.
  registerShedding,
  // After the cache: a page that is kept counts as nothing.
  registerLimits,
  // All that was thrown above and below becomes a page.
  registerErrors,
  // The door from forms to operations, which rooms open.
  registerForms,
]

/**
 * The forum as a Fastify app, ready to listen or to be injected. The caller closes the database and the change feed.
 * @param changes null: no changes are announced, so that nothing is cached
 * @param lines gets the log; standard output otherwise
 */
export async function createApp(
  config: Config,
  db: Database,
  keys: SecretKeys,
  changes: ChangeFeed | null = null,
  lines?: { write(line: string): void },
): Promise<FastifyInstance> {
  const front = new Front()
  const app: FastifyInstance = fastify({
    serverFactory: front.serverFactory,
    logger: {
      level: config.logLevel,
      serializers: logSerializers,
      hooks: { logMethod: outagesToldOnce(db) },
      ...(lines && { stream: lines }),
    },
    // A line per event that matters, not two per page: events log themselves.
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    bodyLimit: BODY_LIMIT,
    trustProxy: config.trustProxy.length === 0 ? false : [...config.trustProxy],
    rewriteUrl: (request) => readableAddress(request.url ?? '/'),
    // As long as Node takes headers: a name too long for a route is no page either.
    routerOptions: { maxParamLength: 16_384, ignoreTrailingSlash: true },
    requestTimeout: 30_000,
    // Who is connected while the forum stops is served: the answer ends the connection (web/transport/connections.ts).
    return503OnClosing: false,
    connectionTimeout: 60_000,
    clientErrorHandler: (error, socket) => answerBrokenRequest(app.log, error, socket),
  })
  app.decorate('config', config)
  app.decorate('db', db)
  app.decorate('secretKeys', keys)
  app.decorate('changes', changes)
  app.decorate('pictures', pictureStore(config))
  app.decorate(
    'metrics',
    config.metrics === null ? null : (await import('./operating/metrics/measure.ts')).measure(app),
  )
  await app.register(accepts)
  for (const step of STORY) await step(app, { config, keys, front })
  registerUnreadable(app)
  registerHealth(app)
  registerJobs(app)
  for (const register of ROOMS) await register(app)
  registerLingering(app)
  registerConnectionLimit(app)
  return app
}
