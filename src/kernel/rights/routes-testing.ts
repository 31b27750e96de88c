import type { CourseAct, ForumAct, PostAct } from './table.ts'
import type { Insides } from './world-testing.ts'

/** Which act of the table a route is, and on what. In a path `:id` and the like stand for what it is done to. */
export type Claim = ForumClaim | CourseClaim | PostClaim | PersonClaim

type Claims = Readonly<Record<string, readonly Claim[]>>

export interface ForumClaim {
  readonly act: ForumAct
}

export interface CourseClaim {
  readonly act: CourseAct
  readonly of: 'course'
  /** With a query: where the course is not a part of the route itself. */
  readonly path?: string
  /** What the rest of the path names: something of the course. */
  readonly inside?: keyof Insides
  /** What is sent; `:course` stands for its slug. */
  readonly fields?: Readonly<Record<string, string>>
  /** What those are told for whom the course is not there; 404 unless said. */
  readonly unknown?: number
  /** Everybody gets what visitors get. */
  readonly isPublic?: true
  /** Answers 404 to people who may not. */
  readonly isHidden?: true
  /** Who may do it is told what else it needs (422). */
  readonly isRefused?: true
}

export interface PostClaim {
  readonly act: PostAct | 'read' | 'mention'
  readonly of: 'question' | 'answer' | 'reply'
  readonly fields?: Readonly<Record<string, string>>
  /** Who may do it is told why not (422) where the post, or one above it, is hidden. */
  readonly isRefusedHidden?: true
  readonly isPublic?: true
}

/** Whether one may know that somebody is here. */
export interface PersonClaim {
  readonly act: 'meet'
  readonly of: 'person'
  readonly fields?: Readonly<Record<string, string>>
}

const body = { body: 'Written to see whether that is allowed.' }
const question = { title: 'Is this allowed?', tags: 'rights', ...body }
const visit = { act: 'visit' } as const
const account = { act: 'have-account' } as const
/** What is in a course and has an address of its own. */
const inCourse = { of: 'course' } as const
const changeMembers = { act: 'change-members', of: 'course' } as const
const lookAfter = { act: 'look-after-forum' } as const
const makeCourse = { act: 'make-course' } as const
const manage = { act: 'manage', of: 'course' } as const
const importPosts = { act: 'import-posts', of: 'course' } as const
const exportCourse = { act: 'export-course', of: 'course' } as const
const manageWebhooks = { act: 'manage-webhooks', of: 'course' } as const
const manageWebhook = { ...manageWebhooks, inside: 'webhook' } as const
const manageForumWebhooks = { act: 'manage-forum-webhooks' } as const
const webhook = { url: 'https://receiver.example/hook', types: 'question.created' }
/** What is inside of a course stands in its path by a number that each course of the world has. */
const manageLecture = { ...manage, inside: 'lecture' } as const
const renameTags = { act: 'rename-tags', of: 'course' } as const
const changeBlocklist = { act: 'change-blocklist', of: 'course' } as const
const manageCategory = { ...manage, inside: 'category', fields: { name: 'Projects' } } as const
const courseFields = {
  title: 'A course',
  language: 'en',
  time_zone: 'UTC',
  visibility: 'public',
  asking: 'everybody',
  accent: 'green',
}
const seeMail = { act: 'see-mail' } as const
const report = { act: 'report', fields: { reason: 'rude' } } as const
const openCase = { act: 'open-case', fields: { reason: 'rude' } } as const
const moderateCase = { act: 'moderate', of: 'course', inside: 'case', isHidden: true } as const
const moderateMeasure = { ...moderateCase, inside: 'measure' } as const
const moderateReport = { ...moderateCase, inside: 'report' } as const
const moderatePerson = {
  act: 'moderate',
  of: 'course',
  inside: 'member',
  fields: { course: ':course', reason: 'spam' },
} as const
const decideSettings = { act: 'decide-settings' } as const
const manageApps = { act: 'manage-apps' } as const

/** What is done alike to each kind of post. */
const onPost = (kind: string, of: PostClaim['of'], text: PostClaim['fields']): Claims => ({
  [`GET /${kind}/:id/reports`]: [{ ...report, of }],
  [`POST /${kind}/:id/reports`]: [{ ...report, of }],
  [`GET /${kind}/:id/cases`]: [{ ...openCase, of }],
  [`POST /${kind}/:id/cases`]: [{ ...openCase, of }],
  [`POST /${kind}/:id/release`]: [{ act: 'release', of }],
  [`GET /${kind}/:id/rejection`]: [{ act: 'release', of }],
  [`POST /${kind}/:id/rejection`]: [{ act: 'release', of, fields: { ground: 'spam' } }],
  [`GET /${kind}/:id/edit`]: [{ act: 'edit', of }],
  [`POST /${kind}/:id/edit`]: [{ act: 'edit', of, fields: { ...text, version: '1' } }],
  [`POST /${kind}/:id/delete`]: [{ act: 'delete', of }],
  [`POST /${kind}/:id/restoration`]: [{ act: 'restore', of }],
  [`GET /${kind}/:id/history`]: [{ act: 'see-history', of }],
  [`POST /${kind}/:id/history/:version/restoration`]: [{ act: 'decide-history', of }],
  [`POST /${kind}/:id/history/:version/redaction`]: [{ act: 'decide-history', of }],
})

/** Every route and what it is in the table; where it is several things, all of them. */
const CLAIMS: Claims = {
  ...onPost('questions', 'question', question),
  ...onPost('answers', 'answer', body),
  ...onPost('replies', 'reply', body),
  'GET /': [visit, { act: 'read', of: 'course', path: '/?course=:course' }],
  'GET /questions': [visit, { act: 'read', of: 'course', path: '/questions?course=:course' }],
  'GET /courses': [visit],
  'GET /courses/:course': [{ act: 'read', of: 'course' }],
  'GET /courses/:course/lectures': [{ act: 'read', of: 'course' }],
  'GET /courses/:course/feed.atom': [{ act: 'read', of: 'course', isPublic: true }],
  'POST /courses/:course/reading': [{ act: 'follow-course', of: 'course' }],
  'POST /questions/reading': [account],
  'POST /courses/:course/following': [{ act: 'follow-course', of: 'course', fields: { value: '1' } }],
  'POST /courses/:course/lectures/:position/following': [
    {
      act: 'follow-course',
      of: 'course',
      path: '/courses/:course/lectures/1/following',
      fields: { value: '1' },
    },
  ],
  'POST /tags/:tag/following': [account],
  'GET /following': [account],
  'GET /notifications': [account],
  'GET /notifications/latest': [account],
  'POST /notifications/seen': [account],
  'POST /notifications/:id/opening': [account],
  'POST /questions/:id/reading': [{ act: 'follow', of: 'question' }],
  'POST /questions/:id/opening': [{ act: 'follow', of: 'question', fields: { q: 'rights' } }],
  'POST /announcements/:id/reading': [{ ...inCourse, act: 'follow-course', inside: 'announcement' }],
  'POST /following': [account],
  'GET /courses/:course/figures': [{ act: 'see-figures', of: 'course' }],
  'GET /courses/:course/figures.csv': [{ act: 'see-figures', of: 'course' }],
  'POST /courses/:course/lectures': [{ act: 'manage', of: 'course', fields: { lectures: 'Verbs' } }],
  'GET /courses/:course/lectures/:position': [manageLecture],
  'POST /courses/:course/lectures/:position': [
    { ...manageLecture, fields: { title: 'Verbs', position: '1' } },
  ],
  'POST /courses/:course/lectures/undo/:change': [{ ...manage, path: '/courses/:course/lectures/undo/1' }],
  'POST /courses/:course/lectures/:position/move': [{ ...manageLecture, fields: { direction: 'up' } }],
  'POST /courses/:course/lectures/:position/merger': [{ ...manageLecture, fields: { into: '2' } }],
  'POST /courses/:course/lectures/:position/removal': [manageLecture],
  'GET /admin/people/:id': [lookAfter],
  'POST /admin/people/:id/admin': [{ act: 'manage-people' }],
  'POST /admin/people/:id/delete': [{ act: 'manage-people' }],
  'GET /admin/people/:id/merge': [{ act: 'manage-people' }],
  'POST /admin/people/:id/merge': [{ act: 'manage-people' }],
  'POST /admin/people/:id/merge/undo': [{ act: 'manage-people' }],
  'GET /courses/:course/deletion': [{ act: 'delete-course', of: 'course' }],
  'POST /courses/:course/deletion': [{ act: 'delete-course', of: 'course' }],
  'POST /courses/:course/restoration': [{ act: 'delete-course', of: 'course' }],
  'GET /audit': [lookAfter],
  'GET /audit.csv': [lookAfter],
  'POST /audit/:id/redaction': [{ act: 'redact-audit' }],
  'GET /courses/:course/audit': [{ act: 'see-audit', of: 'course' }],
  'GET /courses/:course/audit.csv': [{ act: 'see-audit', of: 'course' }],
  'GET /people/:id/reports': [{ act: 'meet', of: 'person' }],
  'POST /people/:id/reports': [visit, { act: 'meet', of: 'person', fields: report.fields }],
  'GET /people/:id/cases': [{ act: 'moderate-forum' }],
  'POST /people/:id/cases': [{ act: 'moderate-forum' }],
  'GET /moderation': [{ act: 'moderate-forum' }],
  'GET /courses/:course/moderation': [{ act: 'moderate', of: 'course' }],
  'GET /cases/:id': [moderateCase],
  'POST /cases/:id/claim': [{ ...moderateCase, fields: { value: '1' } }],
  'POST /cases/:id/decision': [{ ...moderateCase, fields: { decision: 'decline', version: '1' } }],
  'POST /cases/:id/handover': [{ ...moderateCase, fields: { to: 'admins' } }],
  'POST /cases/:id/redaction': [{ act: 'moderate-forum' }],
  'POST /measures/:id/end': [moderateMeasure],
  'POST /measures/:id/objection': [account],
  'POST /measures/:id/objection/answer': [{ ...moderateMeasure, fields: { value: 'keep' } }],
  'POST /measures/:id/objection/handover': [moderateMeasure],
  'GET /people/:id/suspension': [
    { act: 'moderate', of: 'course', inside: 'member', path: '/people/:id/suspension?course=:course' },
  ],
  'GET /reports/:id': [account],
  'POST /reports/:id/objection': [account],
  'GET /reports/by-mail/:token': [visit],
  'POST /reports/by-mail/:token/objection': [visit],
  'POST /reports/:id/objection/answer': [{ ...moderateReport, fields: { value: 'keep' } }],
  'POST /reports/:id/objection/handover': [moderateReport],
  'POST /people/:id/suspension': [moderatePerson],
  'POST /people/:id/suspension/end': [moderatePerson],
  'GET /people/:id/posts/deletion': [
    { act: 'moderate', of: 'course', inside: 'member', path: '/people/:id/posts/deletion?course=:course' },
  ],
  'POST /people/:id/posts/deletion': [moderatePerson],
  'POST /people/:id/posts/restoration': [moderatePerson],
  'GET /people/:id/spammer': [
    { act: 'moderate', of: 'course', inside: 'member', path: '/people/:id/spammer?course=:course' },
  ],
  'POST /people/:id/spammer': [{ ...moderatePerson, fields: { ...moderatePerson.fields, sure: '1' } }],
  'POST /people/:id/spammer/undo': [moderatePerson],
  'GET /settings/standing': [account],
  'GET /settings/claims': [account],
  'POST /settings/claims/:id': [account],
  'GET /rules': [visit],
  'GET /privacy': [visit],
  'GET /contact': [visit],
  'GET /courses/:course/rules': [{ act: 'read', of: 'course' }],
  'GET /courses/:course/settings/rules': [manage],
  'POST /courses/:course/settings/rules': [{ ...manage, fields: body }],
  'GET /oauth/authorize': [account],
  'POST /oauth/authorize': [account],
  'POST /oauth/token': [visit],
  'POST /oauth/revoke': [visit],
  'GET /admin/apps': [lookAfter],
  'POST /admin/apps': [manageApps],
  'POST /admin/apps/:id/end': [manageApps],
  'GET /admin/blocklist': [lookAfter],
  'POST /admin/blocklist': [{ act: 'change-forum-blocklist' }],
  'GET /admin/webhooks': [lookAfter],
  'POST /admin/webhooks': [manageForumWebhooks],
  'GET /admin/webhooks/:id': [lookAfter],
  'POST /admin/webhooks/:id': [manageForumWebhooks],
  'POST /admin/webhooks/:id/secret': [manageForumWebhooks],
  'POST /admin/webhooks/:id/owner': [manageForumWebhooks],
  'POST /admin/webhooks/:id/test': [manageForumWebhooks],
  'POST /admin/webhooks/:id/deliveries/:delivery/again': [manageForumWebhooks],
  'POST /admin/webhooks/:id/end': [manageForumWebhooks],
  'GET /admin/pages': [decideSettings],
  'GET /admin/pages/rules': [decideSettings],
  'POST /admin/pages/rules': [decideSettings],
  'GET /admin/pages/privacy': [decideSettings],
  'POST /admin/pages/privacy': [decideSettings],
  'GET /admin/pages/contact': [decideSettings],
  'POST /admin/pages/contact': [decideSettings],
  'POST /sign-in/with/:provider/link': [account],
  'GET /admin/sign-in': [decideSettings],
  'POST /admin/sign-in': [decideSettings],
  'GET /admin/sign-in/new': [decideSettings],
  'GET /admin/sign-in/:id': [decideSettings],
  'GET /admin/sign-in/:id/claims': [decideSettings],
  'POST /admin/sign-in/:id': [decideSettings],
  'POST /admin/sign-in/:id/options': [decideSettings],
  'POST /admin/sign-in/:id/move': [decideSettings],
  'POST /admin/sign-in/:id/state': [decideSettings],
  'POST /admin/sign-in/:id/removal': [decideSettings],
  'POST /admin/sign-in/:id/test': [decideSettings],
  'POST /admin/sign-in/:id/roles': [decideSettings],
  'POST /admin/sign-in/:id/roles/removal': [decideSettings],
  'GET /admin': [lookAfter],
  'GET /admin/people': [lookAfter],
  'GET /admin/courses': [lookAfter],
  'POST /admin/people/:id/link': [lookAfter],
  'POST /admin/jobs/:id/retry': [lookAfter],
  'POST /admin/test-mail': [lookAfter],
  'GET /courses/:course/announcements': [{ act: 'read', of: 'course' }],
  'GET /courses/:course/announcements/new': [{ act: 'announce', of: 'course' }],
  'POST /courses/:course/announcements/new': [
    { act: 'announce', of: 'course', fields: { title: 'The room', ...body } },
  ],
  'GET /announcements/:id': [{ ...inCourse, act: 'read', inside: 'announcement' }],
  'GET /announcements/:id/:slug': [
    { ...inCourse, act: 'read', inside: 'announcement', path: '/announcements/:id/x' },
  ],
  'GET /announcements/:id/:slug*': [
    { ...inCourse, act: 'read', inside: 'announcement', path: '/announcements/:id/x/y' },
  ],
  'GET /announcements/:id/edit': [{ ...inCourse, act: 'announce', inside: 'announcement' }],
  'POST /announcements/:id/edit': [
    {
      ...inCourse,
      act: 'announce',
      inside: 'announcement',
      fields: { title: 'The room', version: '1', ...body },
    },
  ],
  'GET /courses/:course/faq': [{ act: 'read', of: 'course' }],
  'POST /courses/:course/faq': [
    { act: 'propose-faq', of: 'course', fields: { title: 'Why is that so?', ...body } },
  ],
  'POST /faq/:id': [{ ...inCourse, act: 'decide-faq', inside: 'entry', fields: { state: 'shown' } }],
  'POST /faq/:id/move': [{ ...inCourse, act: 'decide-faq', inside: 'entry', fields: { direction: 'up' } }],
  'GET /courses/:course/members': [{ act: 'see-members', of: 'course' }],
  'POST /courses/:course/members': [
    { ...changeMembers, fields: { email: 'someone@example.org', role: 'learner' } },
  ],
  'POST /courses/:course/members/roles': [
    { ...changeMembers, fields: { person: 'someone@example.org assistant' } },
  ],
  'POST /courses/:course/members/:person/role': [
    { ...changeMembers, inside: 'member', fields: { role: 'learner' } },
  ],
  'POST /courses/:course/members/:person/role/:given/undo/:former': [
    {
      ...changeMembers,
      inside: 'member',
      path: '/courses/:course/members/:person/role/learner/undo/assistant',
    },
  ],
  'GET /courses/:course/members.csv': [changeMembers],
  'POST /courses/:course/members/:person/removal': [{ ...changeMembers, inside: 'member' }],
  'POST /courses/:course/members/selection': [{ ...changeMembers, fields: { person: '1', act: 'removal' } }],
  'POST /courses/:course/members/selection/role/:given/undo/:former': [
    {
      ...changeMembers,
      path: '/courses/:course/members/selection/role/assistant/undo/learner.1',
    },
  ],
  'POST /courses/:course/waiting/selection': [
    { ...changeMembers, fields: { email: 'someone@example.org', act: 'removal', sure: '1' } },
  ],
  'POST /courses/:course/waiting/removal': [{ ...changeMembers, fields: { email: 'someone@example.org' } }],
  'POST /courses/:course/invitations': [{ ...changeMembers, fields: { role: 'learner' } }],
  'POST /courses/:course/invitations/:id/end': [{ ...changeMembers, inside: 'invitation' }],
  'POST /join/:token': [account],
  'GET /courses/new': [makeCourse],
  'POST /courses/new': [makeCourse],
  'GET /courses/:course/settings': [manage],
  'POST /courses/:course/settings': [
    { ...manage, fields: { ...courseFields, version: '1' } },
    { act: 'choose-holding', of: 'course', fields: { ...courseFields, hold: 'all', version: '1' } },
  ],
  'GET /courses/:course/settings/copy': [manage],
  'POST /courses/:course/archive': [{ ...manage, fields: { value: '1' } }],
  'POST /courses/:course/first-steps': [{ ...manage, fields: { value: '0' } }],
  'POST /courses/:course/copy': [{ ...manage, fields: { title: 'The next run' } }],
  'GET /courses/:course/settings/tokens': [manage],
  'POST /courses/:course/settings/tokens': [{ ...manage, fields: { name: 'Notebook', ends: '' } }],
  'POST /courses/:course/settings/tokens/:id/end': [{ ...manage, inside: 'token' }],
  'GET /courses/:course/settings/import': [manage],
  // Without a file.
  'POST /courses/:course/settings/import': [{ ...importPosts, isRefused: true }],
  'POST /courses/:course/settings/import/:run/start': [{ ...importPosts, inside: 'import' }],
  'POST /courses/:course/settings/import/:run/undo': [
    { ...importPosts, inside: 'import' },
    { ...manage, inside: 'import' },
  ],
  // Of one that is shown: operating/transfer/imports.test.ts.
  'GET /courses/:course/settings/import/:run': [account],
  'GET /courses/:course/settings/import/:run/redirects.csv': [account],
  'GET /courses/:course/settings/export': [manage],
  'POST /courses/:course/settings/export': [exportCourse],
  // For who asked for it alone: operating/transfer/exports.test.ts.
  'GET /courses/:course/settings/export/:export': [account],
  'GET /courses/:course/settings/webhooks': [manage],
  'POST /courses/:course/settings/webhooks': [
    { ...manageWebhooks, fields: { ...webhook, kind: 'standard' } },
  ],
  'GET /courses/:course/settings/webhooks/:id': [{ ...manage, inside: 'webhook' }],
  'POST /courses/:course/settings/webhooks/:id': [{ ...manageWebhook, fields: webhook }],
  'POST /courses/:course/settings/webhooks/:id/secret': [manageWebhook],
  'POST /courses/:course/settings/webhooks/:id/owner': [manageWebhook],
  'POST /courses/:course/settings/webhooks/:id/test': [manageWebhook],
  'POST /courses/:course/settings/webhooks/:id/deliveries/:delivery/again': [
    { ...manageWebhook, path: '/courses/:course/settings/webhooks/:id/deliveries/:delivery/again' },
  ],
  'POST /courses/:course/settings/webhooks/:id/end': [manageWebhook],
  'GET /courses/:course/settings/tags': [manage],
  'POST /courses/:course/settings/tags': [
    { ...renameTags, fields: { tag: 'rights', name: 'rules', description: '', aliases: '' } },
  ],
  'POST /courses/:course/settings/tags/:tag/undo': [renameTags],
  'GET /courses/:course/settings/blocklist': [manage],
  'POST /courses/:course/settings/blocklist': [
    changeBlocklist,
    { ...changeBlocklist, fields: { sure: '1' } },
  ],
  'GET /courses/:course/questions/bulk': [{ act: 'work-desk', of: 'course' }],
  'POST /courses/:course/questions/bulk': [
    { act: 'work-desk', of: 'course', fields: { act: 'close', question: '1', reason: 'unclear' } },
  ],
  'GET /courses/:course/moderation/bulk': [{ act: 'moderate', of: 'course' }],
  'POST /courses/:course/moderation/bulk': [
    { act: 'moderate', of: 'course', fields: { act: 'release', post: 'question-1' } },
  ],
  'GET /moderation/bulk': [{ act: 'moderate-forum' }],
  'POST /moderation/bulk': [{ act: 'moderate-forum' }],
  'GET /bulk/:id': [{ act: 'work-desk', of: 'course', inside: 'bulk' }],
  'POST /bulk/:id/undo': [{ act: 'work-desk', of: 'course', inside: 'bulk' }],
  'GET /courses/:course/categories': [manage],
  'POST /courses/:course/categories': [{ ...manage, fields: { name: 'Projects' } }],
  'POST /courses/:course/categories/:id': [manageCategory],
  'POST /courses/:course/categories/:id/removal': [manageCategory],
  'GET /desk': [account],
  'GET /courses/:course/desk': [{ act: 'work-desk', of: 'course' }],
  'GET /courses/:course/desk/next': [{ act: 'work-desk', of: 'course' }],
  'GET /courses/:course/desk/live': [{ act: 'work-desk', of: 'course' }],
  'GET /courses/:course/desk/saved': [{ act: 'work-desk', of: 'course' }],
  'POST /courses/:course/desk/saved': [
    { act: 'work-desk', of: 'course', fields: { title: 'Allowed', ...body } },
  ],
  'POST /courses/:course/leaving': [{ act: 'leave', of: 'course' }],
  'GET /questions/new': [{ act: 'ask', of: 'course', path: '/questions/new?course=:course', unknown: 200 }],
  'POST /questions': [{ act: 'ask', of: 'course', fields: { course: ':course', ...question }, unknown: 422 }],
  'POST /questions/preview': [
    { act: 'ask', of: 'course', fields: { course: ':course', ...question }, unknown: 422 },
  ],
  'POST /preview': [account],
  'POST /uploads': [{ act: 'upload' }],
  'GET /uploads/:name': [visit],
  // Of what it leads to: src/operating/exchange/old-links.test.ts.
  'GET /from/:source/:id': [visit],
  'GET /drafts': [account],
  'POST /drafts': [account],
  'POST /drafts/:id/delete': [account],
  'POST /questions/:id/agent-draft': [account],
  'GET /questions/:id': [{ act: 'read', of: 'question' }],
  'GET /questions/:id/:slug': [{ act: 'read', of: 'question' }],
  'GET /questions/:id/:slug*': [{ act: 'read', of: 'question' }],
  'GET /mentions/questions/:id': [{ act: 'mention', of: 'question' }],
  'GET /mentions/courses/:course': [{ act: 'mention', of: 'course' }],
  'GET /questions/:id/feed.atom': [{ act: 'read', of: 'question', isPublic: true }],
  'GET /live/questions': [visit],
  'GET /live/notifications': [account],
  'GET /live/questions/:id': [{ act: 'read', of: 'question' }],
  'POST /questions/:id/answers': [{ act: 'answer', of: 'question', fields: body }],
  'POST /questions/:id/replies': [{ act: 'reply', of: 'question', fields: body }],
  'POST /questions/:id/votes': [{ act: 'vote', of: 'question', fields: { value: '1' } }],
  'POST /questions/:id/following': [{ act: 'follow', of: 'question', fields: { value: '1' } }],
  'POST /questions/:id/resolution': [{ act: 'resolve', of: 'question', fields: { status: 'resolved' } }],
  'POST /questions/:id/audience': [
    { act: 'open', of: 'question', fields: { audience: 'course' } },
    { act: 'withdraw', of: 'question', fields: { audience: 'staff' } },
  ],
  'GET /answers/:id': [{ act: 'read', of: 'answer' }],
  'POST /answers/:id/replies': [{ act: 'reply', of: 'answer', fields: body }],
  'POST /answers/:id/votes': [{ act: 'vote', of: 'answer', fields: { value: '1' } }],
  'POST /questions/:id/assignment': [{ act: 'assign', of: 'question', fields: { assignee: '' } }],
  'POST /questions/:id/duplicate': [{ act: 'unlink', of: 'question', fields: { of: '' } }],
  'GET /questions/:id/move': [{ act: 'move', of: 'question' }],
  'POST /questions/:id/move': [{ act: 'move', of: 'question', fields: { lecture: '' } }],
  'POST /questions/:id/closing': [{ act: 'close', of: 'question', fields: { reason: 'unclear' } }],
  'POST /questions/:id/pin': [{ act: 'assign', of: 'question', fields: { until: '' } }],
  'POST /questions/:id/snooze': [{ act: 'assign', of: 'question', fields: { until: '' } }],
  'POST /questions/:id/claim': [{ act: 'assign', of: 'question', fields: { value: '1' } }],
  'POST /questions/:id/done': [{ act: 'assign', of: 'question', fields: { value: '0' } }],
  'POST /questions/:id/desk': [{ act: 'assign', of: 'question', fields: { act: 'answer', ...body } }],
  'POST /answers/:id/endorsement': [{ act: 'endorse', of: 'answer', fields: { value: '1' } }],
  'POST /answers/:id/acceptance': [{ act: 'accept', of: 'answer', fields: { value: '1' } }],
  'GET /answers/:id/conversion': [{ act: 'convert', of: 'answer' }],
  'POST /answers/:id/conversion': [
    { act: 'convert', of: 'answer', fields: { answer: '' }, isRefusedHidden: true },
  ],
  'POST /answers/:id/conversion/undo': [{ act: 'convert', of: 'answer', isRefusedHidden: true }],
  'GET /replies/:id/conversion': [{ act: 'convert', of: 'reply' }],
  'POST /replies/:id/conversion': [{ act: 'convert', of: 'reply', isRefusedHidden: true }],
  'POST /replies/:id/conversion/undo': [{ act: 'convert', of: 'reply', isRefusedHidden: true }],
  'GET /people/:id': [{ act: 'meet', of: 'person' }],
  'GET /people/:id/:slug': [{ act: 'meet', of: 'person' }],
  'GET /people/:id/:slug*': [{ act: 'meet', of: 'person' }],
  'GET /mail': [seeMail],
  'POST /mail/:mailId/sending': [seeMail],
  'GET /settings/site': [decideSettings],
  'POST /settings/site': [decideSettings],
}

/** Acts without a route of their own: what somebody reads differs by them. */
export const OF_READING: readonly string[] = [
  ...['read-private', 'read-hidden', 'see-names', 'see-reporters'],
  // Of the door for agents: src/doors/agents.
  'use-agents',
]

/** Settings are one's own, and what makes or opens an account, lists and files is for everybody. */
const ACCOUNT = /^(GET|POST) \/settings(\/|$)/
const OPEN = [
  /^\w+ \/(appearance|sign-in|sign-up|sign-out|set-up|forgotten-password|new-password|confirm-email|undo-[\w-]+|unsubscribe)(\/|$)/,
  /^GET \/(\.well-known|tags|search|assets|sitemap|join|api)(\/|$)/,
  /^GET \/(questions\/(?:similar|tags)|design|feed\.atom|sitemap\.xml|robots\.txt|sw\.js|healthz|readyz)$/,
  /^\w+ \/bad-request$/,
]

/** What a route claims to be; null: nobody has said. */
export function claimsOf(route: string): readonly Claim[] | null {
  const known = CLAIMS[route]
  if (known !== undefined) return known
  if (ACCOUNT.test(route)) return [account]
  return OPEN.some((pattern) => pattern.test(route)) ? [visit] : null
}
