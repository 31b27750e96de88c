export interface AuditSubject {
  readonly kind: string
  readonly id: number | null
}

export type Values = Readonly<Record<string, string | number | boolean | null | undefined>>

interface Audited {
  /** 'staff': of a course or the forum; 'self': of one's own account, which only its owner reads. */
  readonly of: 'staff' | 'self'
  readonly subject?: (values: Values) => AuditSubject | null
  /** Fields that say what it is about, and are no details. */
  readonly names?: readonly string[]
}

export const idOf = (value: Values[string]) => (typeof value === 'number' ? value : null)
const about = (kind: string, field: string): Audited => ({
  of: 'staff',
  subject: (values) => ({ kind, id: idOf(values[field]) }),
  names: [field],
})
const self = { of: 'self' } as const
const course: Audited = {
  of: 'staff',
  subject: ({ courseId }) => ({ kind: 'course', id: idOf(courseId) }),
}
const forum: Audited = { of: 'staff' }
const member = about('person', 'memberId')
const POSTS: readonly Values[string][] = ['question', 'answer', 'reply']
/** A post of somebody else: what people do with their own posts is their own affair. */
const post: Audited = {
  of: 'staff',
  subject: ({ kind, id, authorId, personId }) =>
    authorId === personId || !POSTS.includes(kind) ? null : { kind: String(kind), id: idOf(id) },
  names: ['kind', 'id', 'authorId'],
}

/** Nobody's act, or one about a post whoever wrote it. */
const aboutPost: Audited = {
  of: 'staff',
  subject: ({ kind, id }) => (POSTS.includes(kind) ? { kind: String(kind), id: idOf(id) } : null),
  names: ['kind', 'id'],
}

const decided: Audited = {
  of: 'staff',
  subject: ({ questionId, answerId }) =>
    idOf(answerId) === null
      ? { kind: 'question', id: idOf(questionId) }
      : { kind: 'answer', id: idOf(answerId) },
  names: ['questionId', 'answerId'],
}
const withdrawn: Audited = {
  of: 'staff',
  subject: ({ id, authorId, personId }) =>
    authorId === personId ? null : { kind: 'question', id: idOf(id) },
  names: ['id', 'authorId'],
}
const handled: Audited = {
  of: 'staff',
  subject: ({ caseId, authorId }) =>
    idOf(caseId) === null ? { kind: 'person', id: idOf(authorId) } : { kind: 'case', id: idOf(caseId) },
  names: ['caseId', 'authorId'],
}

/**
 * Makes kinds of events of a level. `says` is the message of the line; `audited`: how the audit log has it, null: the log alone has it,
 * for it is nobody's act, or a refusal; `fields`: all that the line may have besides name and account. Never text by people, e-mail
 * addresses, passwords or tokens.
 */
const of =
  (level: 'info' | 'warn' | 'error') =>
  <Fields extends string = never>(says: string, audited: Audited | null, fields?: Fields) => ({
    ...{ level, says, audited, fields: (fields?.split(' ') ?? []) as Word<Fields>[] },
  })

type Word<Words extends string> = Words extends `${infer First} ${infer Rest}` ? First | Word<Rest> : Words

const [info, warn, error] = [of('info'), of('warn'), of('error')]

/**
 * Every event of the log (OWASP ASVS 5.0, 16.3). docs/events.md is generated from this table and from the operations, which say which
 * of them they note; events.test.ts causes each. `personId` is the account concerned: the signed-in one, unless the event says otherwise.
 */
export const EVENTS = {
  'sign-in': info('signed in', self, 'way step address'),
  'sign-in-refused': info('a sign-in failed', self, 'way reason address'),
  'sign-in-limited': warn('too many failed sign-ins', self, 'way address'),
  'sign-out': info('signed out', self),
  'sign-up-refused': info('the address has an account', null, 'address'),
  'session-ended': info('a session was ended by its owner', self),
  'other-sessions-ended': info('all others were ended by their owner', self),
  'new-password-asked': info('a link for a new password was requested', self, 'address'),
  'password-changed': info('password changed', self, 'proof'),
  'reauthentication-refused': info('wrong current password', self),
  'reauthentication-limited': warn('too many wrong current passwords', self),
  'email-confirmed': info('email address confirmed', self),
  'account-claimed': warn(
    'the owner of a mailbox got the account that had its address unconfirmed',
    self,
    'way',
  ),
  'email-change-asked': info('a new address was requested', self),
  'email-change-undone': warn('an address change was undone by the owner', self, 'address'),
  'second-factor-on': info('two-factor authentication turned on', self),
  'second-factor-off': info('two-factor authentication turned off', self),
  'recovery-codes-made': info('new recovery codes created', self),
  'passkey-added': info('a passkey was added', self),
  'passkey-refused': info('a passkey was not added', self, 'reason'),
  'passkey-renamed': info('a passkey was renamed', self),
  'passkey-removed': info('a passkey was removed', self),
  'password-removed': info('the password was removed', self),
  'account-linked': info('an account at a provider was linked', self, 'provider'),
  'account-unlinked': info('an account at a provider was unlinked', self, 'provider'),
  'provider-ended-sessions': info('a provider ended sessions', self, 'provider count'),
  'token-made': info('an API token was created', self, 'scopes'),
  'token-revoked': info('an API token was revoked', self),
  'agent-called': info('an agent called a tool', null, 'tool outcome'),
  'course-token-made': info('an API token of a course was created', course, 'courseId'),
  'course-token-revoked': info('an API token of a course was revoked', course, 'courseId'),
  'course-exported': info('a copy of a course was asked for', course, 'courseId isPseudonymous'),
  'course-imported': info('an import into a course was started', course, 'courseId importId source'),
  'app-allowed': info('someone let an app in', self, 'scopes'),
  'app-ended': info('an app was ended by its user, or by itself', self),
  'app-replayed': warn('a code or token of an app came twice, and all of them ended', self, 'kind'),
  'app-registered': warn('an admin registered an app', forum, 'appId'),
  'app-removed': warn('an admin ended an app', forum, 'appId people'),
  'webhook-made': info('a webhook was made', forum, 'courseId webhookId kind'),
  'webhook-changed': info('a webhook changed', forum, 'courseId webhookId'),
  'webhook-secret-rotated': info('a webhook got a new secret', forum, 'courseId webhookId'),
  'webhook-taken-over': info('someone became the owner of a webhook', forum, 'courseId webhookId'),
  'webhook-ended': info('a webhook was ended', forum, 'courseId webhookId'),
  'provider-changed': warn('an admin changed a provider that people sign in with', forum, 'provider what'),
  'own-data-taken': info('own data downloaded', self),
  'account-deleted': info('account deleted by its owner', self, 'posts'),
  'course-left': info('a member left a course', course, 'courseId role'),
  'policy-changed': info(
    'the rules, privacy or contact page changed, or the rules of a course',
    forum,
    'courseId name language',
  ),
  'course-made': info('a course was created', course, 'courseId likeId'),
  'course-settings-changed': info('the settings of a course changed', course, 'courseId'),
  'import-taken-back': info('an import into a course was taken back', course, 'courseId runId withAnswers'),
  'course-archived': info('a course was archived or reopened', course, 'courseId isArchived'),
  'course-lectures-changed': info('the lectures of a course changed', course, 'courseId'),
  'course-categories-changed': info('the categories of a course changed', course, 'courseId'),
  'course-tags-changed': info(
    'a tag of a course was renamed, merged or described, or that was undone',
    course,
    'courseId fromTag toTag isUndone',
  ),
  'blocklist-changed': info(
    'a blocklist of a course or of the forum changed',
    forum,
    'courseId added removed',
  ),
  'sign-in-link-made': warn('an admin created a sign-in link', about('person', 'ownerId'), 'ownerId'),
  announced: info('an announcement was posted', course, 'courseId'),
  'announcement-edited': info('an announcement was edited', about('announcement', 'id'), 'courseId id'),
  'faq-changed': info('an FAQ entry was created or changed', course, 'courseId state'),
  'members-added': info('people were added to a course', course, 'courseId given waiting mailed bad'),
  'member-role-changed': info('the role of a member changed', member, 'courseId memberId role isWaiting'),
  'member-removed': info('a member was removed from a course', member, 'courseId memberId role'),
  'waiting-role-removed': info('a pending role was removed', course, 'courseId'),
  'waiting-role-changed': info('the role that waits for an address changed', course, 'courseId role'),
  'invitations-mailed': info(
    'people for whom roles wait were invited by mail',
    course,
    'courseId asked mailed',
  ),
  'invitation-made': info('an invitation link was created', course, 'courseId role'),
  'invitation-ended': info('an invitation link was ended', course, 'courseId'),
  'course-joined': info('someone joined a course by an invitation link', course, 'courseId isWaiting'),
  'set-up': info('the forum is set up', forum),
  'site-settings-changed': info('an admin changed the settings of the forum', forum, 'staffNeedSecondFactor'),
  'post-edited': info('someone else’s post was edited', post, 'kind id authorId'),
  'version-redacted': info('the text of an earlier version was removed', post, 'kind id authorId'),
  'post-converted': info(
    'an answer was made of a reply, or a reply of an answer',
    aboutPost,
    'act kind id formerId',
  ),
  'post-deleted': info('post deleted', post, 'kind id authorId'),
  'post-restored': info('deleted post restored', post, 'kind id authorId'),
  'post-held': info('a post waits to be let through', aboutPost, 'kind id courseId heldFor'),
  'post-released': info('a held post was let through', post, 'kind id authorId sentAt'),
  moderated: info(
    'staff handled a case, or a measure of one',
    handled,
    'act caseId measureId authorId courseId count ground',
  ),
  'staff-decided': info('staff decided about a question', decided, 'act questionId answerId courseId'),
  'bulk-act': info(
    'staff did something to several posts at once, or undid it',
    course,
    'courseId bulkId act ids isUndone',
  ),
  'question-withdrawn': info('someone else’s question was made private', withdrawn, 'id authorId'),
  'admin-changed': warn(
    'someone became an admin, or no longer is one',
    about('person', 'ownerId'),
    'ownerId isAdmin',
  ),
  'accounts-merged': warn(
    'an admin merged the account `fromId` into another, or its owner claimed what an import brought under that name',
    about('person', 'ownerId'),
    'ownerId fromId',
  ),
  'account-merge-undone': warn(
    'an admin undid a merge of the account `fromId` into another, or its owner a claim',
    about('person', 'ownerId'),
    'ownerId fromId',
  ),
  'account-removed': warn('an admin deleted an account', about('person', 'ownerId'), 'ownerId posts'),
  'course-deleted': warn('an admin deleted a course', course, 'courseId'),
  'course-restored': warn('an admin restored a deleted course', course, 'courseId'),
  'audit-redacted': warn('an admin emptied an entry of the audit log', about('entry', 'entryId'), 'entryId'),
  'mail-read': info('an admin read waiting emails', forum),
  'mail-sent-again': info('an admin retried an email', about('email', 'mailId'), 'mailId'),
  'test-mail-sent': info('an admin sent a test email', forum, 'isAccepted'),
  'mail-sent': info('email sent', null, 'mailId kind tries'),
  'mail-dropped': info('email not sent: nothing was left in it', null, 'mailId kind'),
  'mail-received': info('an answer or returned email was received', null, 'outcome'),
  'mail-not-taken': info('an email was refused at INBOUND_PORT', null, 'code reason address'),
  'job-failed': warn('a job failed', null, 'kind key tries reason isGivenUp'),
  'job-retried': info('an admin retried a job', forum, 'kind key'),
  'backup-made': info('a backup was made', null, 'file bytes'),
  'backup-incomplete': error(
    'a backup was made, but lacks pictures that posts show: the last complete one is kept',
    null,
    'file bytes pictures',
  ),
  'backup-failed': error('a backup was not made', null, 'reason'),
  'database-away': error('the database does not answer: pages say 503 until it does', null, 'reason'),
  'database-back': warn('the database answers again', null, 'seconds'),
  denied: warn('request refused', null, 'status problem path address'),
  limited: warn('too many requests', null, 'limit path address'),
  'error-page': info('answered with an error page', null, 'status problem path'),
  failed: error('request failed', null, 'status problem path reason'),
  'form-broken-off': info('the client disconnected before its form was complete', null, 'path'),
  'broken-request': info('invalid request', null, 'reqId code'),
}

export type EventName = keyof typeof EVENTS

/** The data of one event: the fields of its kind, and the account concerned. */
export type Details<Name extends EventName> = {
  readonly [Field in (typeof EVENTS)[Name]['fields'][number]]?: string | number | boolean | null
} & { readonly personId?: number | null }
