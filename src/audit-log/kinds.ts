/** An event: its level, its message, and its fields besides name and account. */
interface EventKind {
  readonly level: 'info' | 'warn' | 'error'
  /** The message of the line. */
  readonly says: string
  /** All fields that the line may have. Never text by people, e-mail addresses, passwords or tokens. */
  readonly fields: readonly string[]
}

/**
 * Every event of the log (OWASP ASVS 5.0, 16.3). docs/events.md is generated from this table; events.test.ts causes
 * each of them. `personId` is the account concerned: the signed-in one, unless the event says otherwise.
 */
export const EVENTS = {
  'sign-in': { level: 'info', says: 'signed in', fields: ['way', 'step', 'address'] },
  'sign-in-refused': {
    level: 'info',
    says: 'a sign-in failed',
    fields: ['way', 'reason', 'address'],
  },
  'sign-in-limited': { level: 'warn', says: 'too many failed sign-ins', fields: ['way', 'address'] },
  'sign-out': { level: 'info', says: 'signed out', fields: [] },
  'sign-up-refused': { level: 'info', says: 'the address has an account', fields: ['address'] },
  'session-ended': { level: 'info', says: 'a session was ended by its owner', fields: [] },
  'other-sessions-ended': { level: 'info', says: 'all others were ended by their owner', fields: [] },
  'new-password-asked': {
    level: 'info',
    says: 'a link for a new password was requested',
    fields: ['address'],
  },
  'password-changed': { level: 'info', says: 'password changed', fields: ['proof'] },
  'reauthentication-refused': { level: 'info', says: 'wrong current password', fields: [] },
  'reauthentication-limited': { level: 'warn', says: 'too many wrong current passwords', fields: [] },
  'email-confirmed': { level: 'info', says: 'email address confirmed', fields: [] },
  'account-claimed': {
    level: 'warn',
    says: 'the owner of a mailbox got the account that had its address unconfirmed',
    fields: ['way'],
  },
  'email-change-asked': { level: 'info', says: 'a new address was requested', fields: [] },
  'email-change-undone': {
    level: 'warn',
    says: 'an address change was undone by the owner',
    fields: ['address'],
  },
  'second-factor-on': { level: 'info', says: 'two-factor authentication turned on', fields: [] },
  'second-factor-off': { level: 'info', says: 'two-factor authentication turned off', fields: [] },
  'recovery-codes-made': { level: 'info', says: 'new recovery codes created', fields: [] },
  'passkey-added': { level: 'info', says: 'a passkey was added', fields: [] },
  'passkey-refused': { level: 'info', says: 'a passkey was not added', fields: ['reason'] },
  'passkey-renamed': { level: 'info', says: 'a passkey was renamed', fields: [] },
  'passkey-removed': { level: 'info', says: 'a passkey was removed', fields: [] },
  'password-removed': { level: 'info', says: 'the password was removed', fields: [] },
  'account-linked': {
    level: 'info',
    says: 'an account at a provider was linked',
    fields: ['provider'],
  },
  'account-unlinked': {
    level: 'info',
    says: 'an account at a provider was unlinked',
    fields: ['provider'],
  },
  'provider-ended-sessions': {
    level: 'info',
    says: 'a provider ended sessions',
    fields: ['provider', 'count'],
  },
  'token-made': { level: 'info', says: 'an API token was created', fields: ['scopes'] },
  'token-revoked': { level: 'info', says: 'an API token was revoked', fields: [] },
  'course-token-made': { level: 'info', says: 'an API token of a course was created', fields: ['courseId'] },
  'course-token-revoked': {
    level: 'info',
    says: 'an API token of a course was revoked',
    fields: ['courseId'],
  },
  'provider-changed': {
    level: 'warn',
    says: 'an admin changed a provider that people sign in with',
    fields: ['provider', 'what'],
  },
  'own-data-taken': { level: 'info', says: 'own data downloaded', fields: [] },
  'account-deleted': { level: 'info', says: 'account deleted by its owner', fields: ['posts'] },
  'course-left': { level: 'info', says: 'a member left a course', fields: ['courseId', 'role'] },
  'policy-changed': {
    level: 'info',
    says: 'the rules, privacy or contact page changed, or the rules of a course',
    fields: ['courseId', 'name', 'language'],
  },
  'course-made': { level: 'info', says: 'a course was created', fields: ['courseId', 'likeId'] },
  'course-settings-changed': {
    level: 'info',
    says: 'the settings of a course changed',
    fields: ['courseId'],
  },
  'course-archived': {
    level: 'info',
    says: 'a course was archived or reopened',
    fields: ['courseId', 'isArchived'],
  },
  'course-lectures-changed': {
    level: 'info',
    says: 'the lectures of a course changed',
    fields: ['courseId'],
  },
  'course-categories-changed': {
    level: 'info',
    says: 'the categories of a course changed',
    fields: ['courseId'],
  },
  'sign-in-link-made': {
    level: 'warn',
    says: 'an admin created a sign-in link',
    fields: ['ownerId'],
  },
  announced: { level: 'info', says: 'an announcement was posted', fields: ['courseId'] },
  'announcement-edited': { level: 'info', says: 'an announcement was edited', fields: ['courseId', 'id'] },
  'faq-changed': {
    level: 'info',
    says: 'an FAQ entry was created or changed',
    fields: ['courseId', 'state'],
  },
  'members-added': {
    level: 'info',
    says: 'people were added to a course',
    fields: ['courseId', 'given', 'waiting', 'mailed', 'bad'],
  },
  'member-role-changed': {
    level: 'info',
    says: 'the role of a member changed',
    fields: ['courseId', 'memberId', 'role', 'isWaiting'],
  },
  'member-removed': {
    level: 'info',
    says: 'a member was removed from a course',
    fields: ['courseId', 'memberId', 'role'],
  },
  'waiting-role-removed': {
    level: 'info',
    says: 'a pending role was removed',
    fields: ['courseId'],
  },
  'waiting-role-changed': {
    level: 'info',
    says: 'the role that waits for an address changed',
    fields: ['courseId', 'role'],
  },
  'invitations-mailed': {
    level: 'info',
    says: 'people for whom roles wait were invited by mail',
    fields: ['courseId', 'asked', 'mailed'],
  },
  'invitation-made': {
    level: 'info',
    says: 'an invitation link was created',
    fields: ['courseId', 'role'],
  },
  'invitation-ended': { level: 'info', says: 'an invitation link was ended', fields: ['courseId'] },
  'course-joined': {
    level: 'info',
    says: 'someone joined a course by an invitation link',
    fields: ['courseId', 'isWaiting'],
  },
  'set-up': { level: 'info', says: 'the forum is set up', fields: [] },
  'site-settings-changed': {
    level: 'info',
    says: 'an admin changed the settings of the forum',
    fields: ['staffNeedSecondFactor'],
  },
  'post-edited': {
    level: 'info',
    says: 'someone else’s post was edited',
    fields: ['kind', 'id', 'authorId'],
  },
  'version-redacted': {
    level: 'info',
    says: 'the text of an earlier version was removed',
    fields: ['kind', 'id', 'authorId'],
  },
  'post-deleted': { level: 'info', says: 'post deleted', fields: ['kind', 'id', 'authorId'] },
  'post-restored': {
    level: 'info',
    says: 'deleted post restored',
    fields: ['kind', 'id', 'authorId'],
  },
  moderated: {
    level: 'info',
    says: 'staff handled a case, or a measure of one',
    fields: ['act', 'caseId', 'measureId', 'authorId', 'courseId', 'count', 'ground'],
  },
  'staff-decided': {
    level: 'info',
    says: 'staff decided about a question',
    fields: ['act', 'questionId', 'answerId'],
  },
  'question-withdrawn': {
    level: 'info',
    says: 'someone else’s question was made private',
    fields: ['id', 'authorId'],
  },
  'admin-changed': {
    level: 'warn',
    says: 'someone became an admin, or no longer is one',
    fields: ['ownerId', 'isAdmin'],
  },
  'accounts-merged': {
    level: 'warn',
    says: 'an admin merged the account `fromId` into another',
    fields: ['ownerId', 'fromId'],
  },
  'account-merge-undone': {
    level: 'warn',
    says: 'an admin undid a merge of the account `fromId` into another',
    fields: ['ownerId', 'fromId'],
  },
  'account-removed': { level: 'warn', says: 'an admin deleted an account', fields: ['ownerId', 'posts'] },
  'course-deleted': { level: 'warn', says: 'an admin deleted a course', fields: ['courseId'] },
  'course-restored': { level: 'warn', says: 'an admin restored a deleted course', fields: ['courseId'] },
  'audit-redacted': {
    level: 'warn',
    says: 'an admin emptied an entry of the audit log',
    fields: ['entryId'],
  },
  'mail-read': { level: 'info', says: 'an admin read waiting emails', fields: [] },
  'mail-sent-again': { level: 'info', says: 'an admin retried an email', fields: ['mailId'] },
  'test-mail-sent': { level: 'info', says: 'an admin sent a test email', fields: ['isAccepted'] },
  'mail-sent': { level: 'info', says: 'email sent', fields: ['mailId', 'kind', 'tries'] },
  'mail-dropped': {
    level: 'info',
    says: 'email not sent: nothing was left in it',
    fields: ['mailId', 'kind'],
  },
  'mail-received': { level: 'info', says: 'an answer or returned email was received', fields: ['outcome'] },
  'mail-not-taken': {
    level: 'info',
    says: 'an email was refused at INBOUND_PORT',
    fields: ['code', 'reason', 'address'],
  },
  'job-failed': {
    level: 'warn',
    says: 'a job failed',
    fields: ['kind', 'key', 'tries', 'reason', 'isGivenUp'],
  },
  'job-retried': { level: 'info', says: 'an admin retried a job', fields: ['kind', 'key'] },
  'backup-made': { level: 'info', says: 'a backup was made', fields: ['file', 'bytes'] },
  'backup-incomplete': {
    level: 'error',
    says: 'a backup was made, but lacks pictures that posts show: the last complete one is kept',
    fields: ['file', 'bytes', 'pictures'],
  },
  'backup-failed': { level: 'error', says: 'a backup was not made', fields: ['reason'] },
  denied: { level: 'warn', says: 'request refused', fields: ['status', 'problem', 'path', 'address'] },
  limited: { level: 'warn', says: 'too many requests', fields: ['limit', 'path', 'address'] },
  'error-page': { level: 'info', says: 'answered with an error page', fields: ['status', 'problem', 'path'] },
  failed: { level: 'error', says: 'request failed', fields: ['status', 'problem', 'path'] },
  'form-broken-off': {
    level: 'info',
    says: 'the client disconnected before its form was complete',
    fields: ['path'],
  },
  'broken-request': { level: 'info', says: 'invalid request', fields: ['reqId', 'code'] },
} as const satisfies Record<string, EventKind>

export type EventName = keyof typeof EVENTS

/** The data of one event: the fields of its kind, and the account concerned. */
export type Details<Name extends EventName> = {
  readonly [Field in (typeof EVENTS)[Name]['fields'][number]]?: string | number | boolean | null
} & { readonly personId?: number | null }
