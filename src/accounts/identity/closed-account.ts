import { sql } from 'kysely'

/** The row of an account that is closed: nothing of its owner, and no way in. @param formerName what its posts are signed with */
export function closedAccount(formerName: string) {
  return {
    display_name: formerName,
    email: null,
    email_confirmed_at: null,
    password_hash: null,
    is_admin: false,
    language: null,
    time_zone: null,
    theme: 'system',
    new_until: null,
    mail_rhythm: 'soon',
    mails_off: sql<string[]>`'{}'`,
    push_rhythm: 'mails',
    pushes_off: sql<string[]>`'{}'`,
    mail_stopped_for: null,
  } as const
}
