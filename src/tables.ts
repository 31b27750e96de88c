import { importedAddresses } from './accounts/address/imported-address.ts'
import { appTables, ownApps } from './accounts/apps/grants.ts'
import { departures } from './accounts/deletion/departure.ts'
import { accountMerges } from './accounts/deletion/leave.ts'
import { ownAccess, ownAccount, ownActivity } from './accounts/deletion/own-data.ts'
import { mailLinks } from './accounts/identity/mail-links.ts'
import { passkeyTables } from './accounts/passkeys/passkey.ts'
import { linkedAccounts } from './accounts/providers/linked-accounts.ts'
import { providerSignIns } from './accounts/providers/sign-ins.ts'
import { secondFactorTables } from './accounts/second-factor/second-factor.ts'
import { halfSignIns } from './accounts/sessions/half-sign-ins.ts'
import { keptForms } from './accounts/sessions/kept-forms.ts'
import { sessionTables } from './accounts/sessions/sessions.ts'
import { signInLinks } from './accounts/sign-in/links.ts'
import { idempotencyKeys } from './accounts/tokens/idempotency.ts'
import { apiTokens } from './accounts/tokens/token.ts'
import { declareCountedTables } from './database/counted-tables.ts'
import { declareTables } from './database/table.ts'
import { announcements, ownAnnouncements } from './forum/announcements/announcement.ts'
import { replyKeys } from './forum/answering-by-mail/keys.ts'
import { standIns } from './forum/authors/byline.ts'
import { bulkTables } from './forum/bulk/record.ts'
import { caseCounts, caseTables, ownCases } from './forum/cases/find.ts'
import { spammerActs } from './forum/cases/spammer.ts'
import { conversionUndos } from './forum/converting/convert.ts'
import { courseCounters } from './forum/courses/queries.ts'
import { courseMembers, ownCourses } from './forum/courses/roles.ts'
import { ownDeskActs, questionDesk } from './forum/desk/assignment.ts'
import { deskClaims } from './forum/desk/claims.ts'
import { drafts, ownDrafts } from './forum/drafts/draft.ts'
import { followTables, ownFollows, ownPlacesFollowed } from './forum/follows/following.ts'
import { lectureCounts } from './forum/lectures/commands.ts'
import { staffWeeks } from './forum/mailing/staff-week.ts'
import { markTables } from './forum/marks/marks.ts'
import { invitations } from './forum/members/invitations.ts'
import { images, ownPictures } from './forum/pictures/commands.ts'
import {
  answerCounts,
  courseAuthorCounts,
  mentions,
  ownEarlierTexts,
  ownMentions,
  ownPosts,
  personCounts,
  postTables,
  questionCounts,
} from './forum/posts/tables.ts'
import { ownVotes } from './forum/posts/vote.ts'
import { courseFiles, importedPeople } from './forum/purging/course-deletion.ts'
import { ownPushes, pushSubscriptions } from './forum/pushing/subscriptions.ts'
import { leftOutTexts } from './forum/questions/left-out.ts'
import { askedInstead } from './forum/search/learning/signals.ts'
import { courseTagCounts } from './forum/tags/tagging.ts'
import { deliveries, deliveryWindows } from './forum/telling/deliveries.ts'
import { notifications, ownReads, readTables } from './forum/telling/read.ts'
import { ownWebhooks, webhookDeliveries, webhooks } from './forum/webhooks/webhook.ts'
import { declareOwnParts } from './kernel/own-data.ts'
import { postedOnceTable } from './kernel/posted-once.ts'
import { claimedRoles } from './kernel/rights/claimed-roles.ts'
import { mails } from './mail/outbox.ts'

/**
 * The tables that name people, of all rooms: what leaving, merging, its undoing and the deletion of unconfirmed accounts go by. Rows that
 * return after a merge are inserted in this order, and deleted in the reverse one.
 */
export const TABLES = [
  ...sessionTables,
  ...[halfSignIns, keptForms, mailLinks, signInLinks, providerSignIns],
  ...secondFactorTables,
  ...appTables,
  ...[apiTokens, idempotencyKeys, postedOnceTable, mails, departures, accountMerges],
  ...[courseMembers, claimedRoles, invitations],
  ...postTables,
  ...[leftOutTexts, conversionUndos],
  ...[announcements, images, questionDesk, deskClaims, importedPeople, importedAddresses],
  ...caseTables,
  spammerActs,
  ...bulkTables,
  ...followTables,
  askedInstead,
  ...markTables,
  ...readTables,
  ...[standIns, mentions, notifications, deliveries, deliveryWindows, drafts, staffWeeks, linkedAccounts],
  ...passkeyTables,
  ...[pushSubscriptions, replyKeys, webhooks, webhookDeliveries],
  ...courseFiles,
]

/**
 * People that no foreign key of the catalogue says: addresses without an account, people in JSON, and columns that refer to another table.
 * Why each is no fact of its own.
 */
export const BESIDE_FACTS: Readonly<Record<string, string>> = {
  'account_merge_rows.content': 'rows of other tables, for an undo: they go with the merge',
  'account_merges.former':
    'the account that was closed, for an undo: emptied as its days are over, or an account is deleted',
  'asked_roles.email': 'an address without an account: goes with its course, or as it is dismissed',
  'audit.actor_id': 'kept when an account goes: what was done stays, under its number',
  'audit.detail': 'numbers of accounts; names are looked up as it is read',
  'bulk_acts.input': 'what was chosen for several posts, with a note to their authors: goes with the act',
  'bulk_items.undo': 'lectures, tags and numbers of measures: names nobody',
  'bulk_items.undo_why': 'messages of ours: names nobody',
  'bulk_items.why': 'messages of ours: names nobody',
  'conversion_undos.votes': 'votes for an undo: they go within an hour or two',
  'course_deletions.members':
    'memberships for a restoration: who has left, or became another account, is looked up then',
  'course_deletions.pending': 'addresses without an account, for a restoration of the course',
  'course_imports.told': 'how many of what comes or came: names nobody',
  'drafts.fields': 'what somebody types, with names they mention: goes with the draft',
  'imported_addresses.email':
    'an address without an account: goes as the posts are claimed or refused, or by itself',
  'import_runs.counts': 'how many of what came: names nobody',
  'kept_forms.fields': 'what somebody typed: goes with the form',
  'lecture_undos.after': 'lectures: names nobody',
  'lecture_undos.before': 'lectures: names nobody',
  'mail_links.email': 'the address that its link was sent to: goes with the link',
  'mails.headers': 'of the recipient’s mail: goes with it',
  'mails.recipient': 'the address it goes to, of an account or of nobody yet: goes with the mail',
  'mails.tells': 'what the mail told of: goes with it',
  'pending_roles.email':
    'an address without an account: becomes a role as it is confirmed, or ends by itself',
  'people.email': 'the account’s own',
  'people.email_confirmed_at': 'the account’s own',
  'provider_sign_ins.unlinked': 'who came back from a provider, without an account: goes with the sign-in',
  'reports.visitor_email': 'an address without an account: emptied with the case',
}

declareTables(TABLES)

/** What the download of a person's own data has, in its order. */
declareOwnParts([
  ownAccount,
  ownCourses,
  ...ownAccess,
  ownApps,
  ...[ownPictures, ownEarlierTexts, ownDrafts, ownPlacesFollowed, ownDeskActs, ownActivity],
  ...ownPosts,
  ownAnnouncements,
  ...ownVotes,
  ownFollows,
  ...ownReads,
  ...[ownMentions, ownPushes, ownWebhooks],
  ...ownCases,
])

/** What `handup recount` compares, and doctor. */
declareCountedTables([
  ...[personCounts, questionCounts, answerCounts, courseCounters, lectureCounts, caseCounts],
  ...[courseTagCounts, courseAuthorCounts],
])
