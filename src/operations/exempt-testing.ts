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
