/**
 * What writes and is no operation, by its route or its command, and why. A test holds the list: another route that takes a form and
 * performs no operation fails it, and so does one of these that is gone.
 */
export const EXEMPT_ROUTES: Readonly<Record<string, string>> = {
  '/appearance': 'a cookie alone',
  '/bad-request': 'writes nothing',
  '/preview': 'writes nothing',
  '/questions/preview': 'writes nothing',
  '/admin/test-mail': 'sends an email and writes nothing',
  '/sign-in': 'upkeep of sessions',
  '/sign-in/code': 'upkeep of sessions',
  '/sign-in/code/passkey': 'upkeep of sessions',
  '/sign-in/passkey': 'upkeep of sessions',
  '/sign-in/with/:provider/link/forget': 'upkeep of sessions: who came back from a provider is forgotten',
  '/sign-out': 'upkeep of sessions',
  '/settings/passkeys/new': 'upkeep of sessions: what a new passkey signs',
  '/settings/notifications/push': 'upkeep of sessions: where this one is told',
  '/settings/notifications/push/end': 'upkeep of sessions: where this one is told',
  '/questions/reading': 'read marks',
  '/questions/:id/reading': 'read marks',
  '/courses/:course/reading': 'read marks',
  '/announcements/:id/reading': 'read marks',
  '/questions/:id/opening': 'search signals',
  '/questions/:id/claim': 'desk claims',
  '/drafts': 'draft saves',
  '/drafts/:id/delete': 'draft saves',
}

/** Commands that perform operations, each by its name in the code. */
export const PERFORMING_COMMANDS: Readonly<Record<string, readonly string[]>> = {
  'course category': ['categoryMaking'],
  'course create': ['courseMaking'],
  'course delete': ['removeCourse'],
  'course lectures': ['lectureAdding'],
  'course member': ['memberSetting'],
  'course settings': ['settingsChange'],
  'user create': ['accountCreation', 'signInLinkMaking'],
  'user link': ['signInLinkMaking'],
  'user second-factor-off': ['secondFactorRemoval'],
}

export const EXEMPT_COMMANDS: Readonly<Record<string, string>> = {
  backup: 'writes a file alone',
  'clusters list': 'writes nothing',
  'clusters clear': 'no forum’s data: a database that nobody uses',
  'course list': 'writes nothing',
  doctor: 'writes nothing',
  events: 'writes nothing',
  exchange: 'writes nothing',
  'export course': 'writes a file alone',
  generate: 'generated data for load tests',
  'import handup': 'imports',
  'import stackexchange': 'imports',
  limits: 'writes nothing',
  'mail receive': 'the door of emails, which perform operations',
  'mail test': 'sends an email and writes nothing',
  migrate: 'the schema',
  'post purge': 'purging, as jobs do it: what people delete is hidden, and stays',
  recount: 'repairs counters',
  reindex: 'repairs search documents',
  rerender: 'renders again what people wrote',
  restore: 'restores a backup',
  rights: 'writes nothing',
  'secret rotate': 'encrypts again what is there',
  seed: 'the sample course',
  simulate: 'a forum of its own, whose people perform operations',
  'user set-up': 'the link to set up a new forum, of which the operation is its page',
}
