import { randomUUID } from 'node:crypto'
import accepts from '@fastify/accepts'
import cookie from '@fastify/cookie'
import fastify, { type FastifyInstance, LogController } from 'fastify'
import type { Registry } from 'prom-client'
import { countGuesses } from './accounts/identity/guesses.ts'
import { registerAccounts } from './accounts/routes.ts'
import { keepForm } from './accounts/sessions/kept-forms.ts'
import { registerSession } from './accounts/sessions/session.ts'
import { registerAuditLog } from './audit-log/hook.ts'
import type { Config } from './config.ts'
import type { Database } from './database/schema.ts'
import { registerApi } from './doors/api/routes.ts'
import { registerAnnouncements } from './forum/announcements/routes.ts'
import { registerAnswers } from './forum/answers/routes.ts'
import { registerAudit, registerOwnActivity } from './forum/audit/routes.ts'
import { registerCases } from './forum/cases/routes.ts'
import { registerCourseSettings } from './forum/course-settings/routes.ts'
import { registerCourseLeaving, registerCourses } from './forum/courses/routes.ts'
import { registerRobots, registerSitemap } from './forum/crawlers/crawlers.ts'
import { registerDesk } from './forum/desk/routes.ts'
import { registerDrafts } from './forum/drafts/routes.ts'
import { registerFaq } from './forum/faq/routes.ts'
import { registerFeeds } from './forum/feeds/routes.ts'
import { registerFigures } from './forum/figures/routes.ts'
import { registerFollows } from './forum/follows/routes.ts'
import { registerHistory } from './forum/history/routes.ts'
import { registerLectures } from './forum/lectures/routes.ts'
import { registerLive } from './forum/live/routes.ts'
import { registerMailSettings } from './forum/mailing/settings-routes.ts'
import { registerUnsubscribe } from './forum/mailing/unsubscribe-routes.ts'
import { registerMembers } from './forum/members/routes.ts'
import { registerOwnParts } from './forum/notifications/own.ts'
import { registerNotifications } from './forum/notifications/routes.ts'
import { registerPeople } from './forum/people/routes.ts'
import { unnameIn } from './forum/people/unname.ts'
import { sweepPictures } from './forum/pictures/commands.ts'
import { pictureStore } from './forum/pictures/picture-store.ts'
import { registerPictures } from './forum/pictures/routes.ts'
import type { PictureStore } from './forum/pictures/store.ts'
import { registerPolicyLinks } from './forum/policies/links.ts'
import { registerPolicies } from './forum/policies/routes.ts'
import { purgePostsOf } from './forum/purging/leavers-posts.ts'
import { registerPushing } from './forum/pushing/routes.ts'
import { registerAsking } from './forum/questions/ask.ts'
import { registerQuestionEditing } from './forum/questions/edit.ts'
import { registerOpenings } from './forum/questions/openings-routes.ts'
import { registerAudience, registerQuestions, registerResolution } from './forum/questions/routes.ts'
import { registerTags } from './forum/questions/tag-pages.ts'
import { registerViewCounter } from './forum/questions/view-counter.ts'
import { registerReplies } from './forum/replies/routes.ts'
import { registerEmbeddings } from './forum/search/embeddings/reranking.ts'
import { registerIndexing } from './forum/search/index-question.ts'
import { registerSearch, registerSimilar } from './forum/search/routes.ts'
import { registerTagSuggestions } from './forum/tags/suggestion-routes.ts'
import { registerOpenedCourses } from './forum/telling/opened-courses.ts'
import { registerVotes } from './forum/votes/routes.ts'
import { registerPeopleToMention } from './forum/writing/people.ts'
import { registerPreview } from './forum/writing/preview.ts'
import { BODY_LIMIT } from './limits/table.ts'
import { registerCourseDeletion } from './operating/admin/course-routes.ts'
import { registerForumAdmin } from './operating/admin/forum-routes.ts'
import { registerMail } from './operating/admin/mail-routes.ts'
import { registerMerging } from './operating/admin/merge-routes.ts'
import { registerAdminPerson } from './operating/admin/person-routes.ts'
import { registerPolicyAdmin } from './operating/admin/policy-routes.ts'
import { registerProviderAdmin } from './operating/admin/provider-routes.ts'
import { registerSite } from './operating/admin/routes.ts'
import { registerSetUp } from './operating/set-up/set-up-routes.ts'
import type { SecretKeys } from './secrets/keys.ts'
import { readableAddress, registerUnreadable } from './web/addresses.ts'
import { registerAssets } from './web/assets.ts'
import { registerBodies } from './web/body.ts'
import type { ChangeFeed } from './web/change-feed/change-feed.ts'
import { registerCompression } from './web/compression.ts'
import {
  answerBrokenRequest,
  refuseTunnels,
  registerClosing,
  registerConnectionLimit,
  registerLingering,
} from './web/connections.ts'
import { registerCsrf } from './web/csrf.ts'
import { registerEntityTags } from './web/entity-tag.ts'
import { registerErrors } from './web/errors.ts'
import { registerFlash } from './web/flash.ts'
import { registerForms } from './web/forms/door.ts'
import { Front } from './web/front.ts'
import { registerHeaders, registerHttpsOnly, registerMinimalAnswers } from './web/headers.ts'
import { registerHealth } from './web/health.ts'
import { registerJobs } from './web/jobs.ts'
import { registerKeptCourse } from './web/kept-course.ts'
import { registerLimits } from './web/limits/limits.ts'
import { registerRenderLimit } from './web/limits/render-limit.ts'
import { logSerializers } from './web/log-serializers.ts'
import { outagesToldOnce } from './web/outages.ts'
import { registerPageCache, registerRendering } from './web/page-cache/page-cache.ts'
import { registerShedding } from './web/shedding.ts'
import { registerViews } from './web/views.ts'
import { registerWithoutCookies } from './web/without-cookies.ts'

declare module 'fastify' {
  interface FastifyInstance {
    readonly config: Config
    readonly db: Database
    /** The secrets of SECRET: what must be read back is sealed with them (src/secrets/sealed.ts). */
    readonly secretKeys: SecretKeys
    /** null: no changes are announced, so that nothing is cached. */
    readonly changes: ChangeFeed | null
    /** Where uploaded pictures are. */
    readonly pictures: PictureStore
    /** What is measured; null: nothing. */
    readonly metrics: Registry | null
  }
  interface FastifyContextConfig {
    /** The same for everybody: no session is looked up. */
    isPublic?: boolean
  }
}

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
    // Who is connected while the forum stops is served: the answer ends the connection (closing.ts).
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
  registerHttpsOnly(app, config)
  registerRendering(app)
  registerHeaders(app, config)
  registerClosing(app)
  refuseTunnels(app)
  registerWithoutCookies(app)
  await app.register(cookie, { secret: [...keys] })
  registerEntityTags(app)
  registerCompression(app)
  await registerBodies(app)
  registerFlash(app)
  registerKeptCourse(app)
  registerMinimalAnswers(app)
  app.decorate('keepForm', keepForm)
  registerAuditLog(app)
  registerSession(app)
  await registerViews(app, await registerAssets(app))
  await registerCsrf(app, keys)
  registerPolicyLinks(app)
  registerRenderLimit(app)
  registerPageCache(app, front)
  registerShedding(app)
  await registerLimits(app)
  registerErrors(app)
  registerForms(app)
  registerUnreadable(app)
  registerHealth(app)
  registerJobs(app)
  const guesses = countGuesses(db)
  registerAccounts(app, guesses, {
    purge: purgePostsOf,
    unname: unnameIn,
    sweepPictures: (db) => sweepPictures(db, app.pictures),
  })
  registerSetUp(app)
  registerSite(app, guesses)
  registerProviderAdmin(app, guesses)
  registerViewCounter(app, keys[0])
  registerQuestions(app)
  registerAsking(app)
  registerQuestionEditing(app)
  registerResolution(app)
  registerAudience(app)
  registerAnswers(app)
  registerReplies(app)
  registerPreview(app)
  registerPictures(app)
  registerHistory(app)
  registerDrafts(app)
  registerVotes(app)
  registerIndexing(app)
  registerEmbeddings(app)
  registerSearch(app, keys[0])
  registerOpenings(app, keys[0])
  registerSimilar(app)
  registerOwnParts(app)
  registerOpenedCourses(app)
  registerNotifications(app)
  registerMailSettings(app)
  registerPushing(app)
  registerUnsubscribe(app, keys)
  registerFollows(app)
  registerDesk(app)
  registerLive(app)
  registerCourses(app)
  registerCourseLeaving(app)
  registerFigures(app)
  registerCourseSettings(app, guesses)
  registerPolicies(app)
  registerLectures(app)
  registerMembers(app, keys)
  registerAnnouncements(app)
  registerFaq(app)
  registerCases(app)
  registerTags(app)
  registerTagSuggestions(app)
  registerPeopleToMention(app)
  registerPeople(app)
  registerMail(app)
  registerForumAdmin(app, keys[0])
  registerPolicyAdmin(app)
  registerAdminPerson(app)
  registerMerging(app)
  registerCourseDeletion(app)
  registerAudit(app)
  registerOwnActivity(app)
  registerFeeds(app)
  registerSitemap(app)
  registerRobots(app)
  await registerApi(app)
  registerLingering(app)
  registerConnectionLimit(app)
  return app
}
