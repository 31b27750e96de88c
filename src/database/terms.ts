import { type RawBuilder, sql } from 'kysely'

/** How long the rows of a table are kept. */
export interface Term {
  /** Their table, and which of them. */
  readonly what: string
  /** An interval of PostgreSQL. */
  readonly kept: string
  /** From when on, and what becomes of them where they do not just go. */
  readonly since: string
}

/** What is kept for a term and then goes, in hourly sweeps. docs/security.md has this table, and a test compares them. */
export const TERMS = {
  sessions: { what: '`sessions`', kept: '30 days', since: 'since they were used' },
  sessionsWhole: {
    what: '`sessions`',
    kept: '180 days',
    since: 'since the sign-in, however much they are used',
  },
  postedOnce: { what: '`posted_once`', kept: '2 days', since: 'since the form was sent' },
  keptForms: { what: '`kept_forms`', kept: '1 day', since: 'since they were typed' },
  halfSignIns: { what: '`half_sign_ins`', kept: '10 minutes', since: 'since they began' },
  drafts: { what: '`drafts`', kept: '90 days', since: 'since they were saved' },
  deskClaims: {
    what: '`desk_claims`',
    kept: '3 minutes',
    since: 'since the question was last open on the desk',
  },
  mails: {
    what: '`mails`',
    kept: '30 days',
    since: 'since they were written; their text ends as they are sent',
  },
  replyKeys: {
    what: '`reply_keys`, `incoming_mails`',
    kept: '90 days',
    since: 'since they were made or came',
  },
  jobs: { what: '`jobs` that were given up', kept: '30 days', since: 'since they were' },
  questionReads: {
    what: '`question_reads`',
    kept: '180 days',
    since:
      'since the question was read; the latest of a course becomes its `course_reads.read_up_to`, so that old questions stay read',
  },
  notifications: {
    what: '`notifications`',
    kept: '1 year',
    since: 'since the last thing that they tell; not while a mail of it waits',
  },
  pendingRoles: {
    what: '`pending_roles`: addresses of people without an account',
    kept: '180 days',
    since: 'since the role was given; the course can give it again',
  },
  unconfirmed: {
    what: '`people` whose address was never confirmed',
    kept: '1 year',
    since:
      'since they joined, where they wrote nothing, voted for nothing, belong to no course and are signed in nowhere',
  },
} as const satisfies Record<string, Term>

/** The interval of a term. */
export function term(name: keyof typeof TERMS): RawBuilder<unknown> {
  return sql`interval ${sql.lit(TERMS[name].kept)}`
}

/** The table as docs/security.md has it. */
export function termsTable(): string {
  const rows = Object.values(TERMS).map(({ what, kept, since }) => `| ${what} | ${kept} | ${since} |`)
  return ['| what | kept | since |', '| --- | --- | --- |', ...rows].join('\n')
}
