import type { FastifyInstance } from 'fastify'
import { registerAccounts } from './accounts/routes.ts'
import { registerAgents } from './doors/agents/routes.ts'
import { registerApi } from './doors/api/routes.ts'
import { registerAnnouncements } from './forum/announcements/routes.ts'
import { registerAnswers } from './forum/answers/routes.ts'
import { registerAudit, registerOwnActivity } from './forum/audit/routes.ts'
import { registerModerationBulk } from './forum/bulk/moderation.ts'
import { registerBulk } from './forum/bulk/questions.ts'
import { registerBulkReports } from './forum/bulk/report.ts'
import { registerCases } from './forum/cases/routes.ts'
import { registerClaims } from './forum/claiming/claims-page.ts'
import { registerConverting } from './forum/converting/conversion.ts'
import { registerCourseSettings } from './forum/course-settings/routes.ts'
import { registerCourseLeaving, registerCourses } from './forum/courses/routes.ts'
import { registerRobots, registerSitemap } from './forum/crawlers/crawlers.ts'
import { registerDesk } from './forum/desk/routes.ts'
import { registerDrafts } from './forum/drafts/routes.ts'
import { registerFaq } from './forum/faq/routes.ts'
import { registerFeeds } from './forum/feeds/routes.ts'
import { registerFigures } from './forum/figures/page.ts'
import { registerFollows } from './forum/follows/routes.ts'
import { registerHistory } from './forum/history/routes.ts'
import { registerLectures } from './forum/lectures/routes.ts'
import { registerLive } from './forum/live/routes.ts'
import { registerMailSettings, registerUnsubscribe } from './forum/mailing/routes.ts'
import { registerMarks } from './forum/marks/marks.ts'
import { registerMembers } from './forum/members/routes.ts'
import { registerOwnParts } from './forum/notifications/own.ts'
import { registerNotifications } from './forum/notifications/routes.ts'
import { registerPeople } from './forum/people/routes.ts'
import { unnameIn } from './forum/people/unname.ts'
import { sweepPictures } from './forum/pictures/commands.ts'
import { registerPictures } from './forum/pictures/routes.ts'
import { registerPolicies } from './forum/policies/routes.ts'
import { registerSpamService } from './forum/posts/spam-service.ts'
import { purgePostsOf } from './forum/purging/leavers-posts.ts'
import { registerPushing } from './forum/pushing/routes.ts'
import { registerAsking } from './forum/questions/ask.ts'
import { registerQuestionEditing } from './forum/questions/edit.ts'
import { registerOpenings } from './forum/reading/openings-routes.ts'
import { registerAudience, registerQuestions } from './forum/reading/routes.ts'
import { registerTagSuggestions, registerTags } from './forum/reading/tag-pages.ts'
import { registerViewCounter } from './forum/reading/view-counter.ts'
import { registerReplies } from './forum/replies/routes.ts'
import { registerEmbeddings } from './forum/search/embeddings/reranking.ts'
import { registerIndexing } from './forum/search/index-question.ts'
import { registerSearch, registerSimilar } from './forum/search/routes.ts'
import { registerOpenedCourses } from './forum/telling/opened-courses.ts'
import { registerWebhooks } from './forum/webhooks/routes.ts'
import { registerPeopleToMention } from './forum/writing/people.ts'
import { registerPreview } from './forum/writing/preview.ts'
import { definedOperations, type Listed } from './kernel/operation.ts'
import { registerAppAdmin } from './operating/admin/app-routes.ts'
import { registerForumBlocklist } from './operating/admin/blocklist-routes.ts'
import { registerCourseDeletion } from './operating/admin/course-routes.ts'
import { registerForumAdmin } from './operating/admin/forum-routes.ts'
import { registerMail } from './operating/admin/mail-routes.ts'
import { registerMerging } from './operating/admin/merge-routes.ts'
import { registerAdminPerson } from './operating/admin/person-page.ts'
import { registerPolicyAdmin } from './operating/admin/policy-routes.ts'
import { registerProviderAdmin } from './operating/admin/provider-routes.ts'
import { registerSite } from './operating/admin/routes.ts'
import { registerForumWebhooks } from './operating/admin/webhook-routes.ts'
import { registerOldLinks } from './operating/exchange/old-links.ts'
import { registerTakingBack } from './operating/exchange/taking-back.ts'
import { registerSetUp } from './operating/set-up/set-up-routes.ts'
import { registerTransfer } from './operating/transfer/routes.ts'
import './tables.ts'

/** The rooms that open pages, forms and endpoints: what is not in this list is not in the forum. */
export const ROOMS: readonly ((app: FastifyInstance) => void | Promise<void>)[] = [
  (app) =>
    registerAccounts(app, {
      purge: purgePostsOf,
      unname: unnameIn,
      sweepPictures: (db) => sweepPictures(db, app.pictures),
    }),
  registerSetUp,
  registerSite,
  registerProviderAdmin,
  (app) => registerViewCounter(app, app.secretKeys[0]),
  registerQuestions,
  registerAsking,
  registerQuestionEditing,
  registerAudience,
  registerAnswers,
  registerReplies,
  registerConverting,
  registerPreview,
  registerPictures,
  registerHistory,
  registerDrafts,
  registerMarks,
  registerIndexing,
  registerEmbeddings,
  registerSpamService,
  registerSearch,
  (app) => registerOpenings(app, app.secretKeys[0]),
  registerSimilar,
  registerOwnParts,
  registerOpenedCourses,
  registerNotifications,
  registerMailSettings,
  registerPushing,
  registerUnsubscribe,
  registerFollows,
  registerDesk,
  registerLive,
  registerCourses,
  registerCourseLeaving,
  registerFigures,
  registerCourseSettings,
  registerWebhooks,
  registerPolicies,
  registerLectures,
  registerMembers,
  registerAnnouncements,
  registerFaq,
  registerCases,
  registerBulk,
  registerModerationBulk,
  registerBulkReports,
  registerTags,
  registerTagSuggestions,
  registerPeopleToMention,
  registerPeople,
  registerClaims,
  registerMail,
  registerForumAdmin,
  registerPolicyAdmin,
  registerForumBlocklist,
  registerAppAdmin,
  registerForumWebhooks,
  registerAdminPerson,
  registerMerging,
  registerCourseDeletion,
  registerTransfer,
  registerAudit,
  registerOwnActivity,
  registerFeeds,
  registerSitemap,
  registerRobots,
  registerOldLinks,
  registerTakingBack,
  registerApi,
  registerAgents,
]

/** All operations of the forum, by name: those of the rooms above, whatever else is loaded. */
export function allOperations(): readonly Listed[] {
  return definedOperations()
}
