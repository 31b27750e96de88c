import { type RawBuilder, sql } from 'kysely'
import type { Database } from './schema.ts'
import type { Table } from './table.ts'

/**
 * Rows that hourly sweeps delete after a term: `kept` is an interval of PostgreSQL; `since` says when it
 * begins, and what replaces the rows. docs/security.md has this table, and a test compares them.
 */
export const TERMS = {
  sessions: { what: '`sessions`', kept: '30 days', since: 'since their last use' },
  sessionsWhole: { what: '`sessions`', kept: '180 days', since: 'since the sign-in' },
  postedOnce: { what: '`posted_once`', kept: '2 days', since: 'since the form was sent' },
  keptForms: { what: '`kept_forms`', kept: '1 day', since: 'since they were sent' },
  halfSignIns: { what: '`half_sign_ins`', kept: '10 minutes', since: 'since they began' },
  providerSignIns: { what: '`provider_sign_ins`', kept: '1 hour', since: 'since they began' },
  logoutTokens: { what: '`logout_tokens`', kept: '1 day', since: 'since a provider sent them' },
  apps: {
    what: '`app_grants`, and `apps` that only describe themselves with the last one',
    kept: '30 days',
    since: 'since the app last renewed its access',
  },
  appsWhole: { what: '`app_grants`', kept: '180 days', since: 'since a person let the app in' },
  appTokens: {
    what: '`app_tokens`: hashes of the codes and tokens of apps',
    kept: '1 day',
    since: 'since they ended, so that one that comes twice is known as stolen',
  },
  drafts: { what: '`drafts`', kept: '90 days', since: 'since they were last saved' },
  postedDrafts: { what: '`drafts.posted_digest`', kept: '10 minutes', since: 'since the text was posted' },
  deskClaims: {
    what: '`desk_claims`',
    kept: '3 minutes',
    since: 'since the question was last open on the desk',
  },
  mails: {
    what: '`mails`',
    kept: '30 days',
    since: 'since they were written; their text only until they are sent',
  },
  replyKeys: {
    what: '`reply_keys`, `incoming_mails`',
    kept: '90 days',
    since: 'since they were created or received',
  },
  leftOutTexts: {
    what: '`left_out_texts`: lines of an email that weren’t posted with it',
    kept: '1 day',
    since: 'since the email came',
  },
  events: {
    what: '`events`: what programs are told of, as numbers of posts',
    kept: '7 days',
    since: 'since it happened',
  },
  jobs: { what: '`jobs` that failed for good', kept: '30 days', since: 'since they failed' },
  questionReads: {
    what: '`question_reads`',
    kept: '180 days',
    since:
      'since the question was read; the latest in a course becomes its `course_reads.read_up_to`, so that old questions stay read',
  },
  notifications: {
    what: '`notifications`',
    kept: '1 year',
    since: 'since the last post in them; not while an email about it waits',
  },
  deliveries: {
    what: '`deliveries`: what an email or a push told someone of',
    kept: '30 days',
    since: 'since it was sent',
  },
  webhookDeliveries: {
    what: '`webhook_deliveries`: which events a webhook was told, and what it answered',
    kept: '30 days',
    since: 'since it was planned; of an event, until that is deleted',
  },
  askedInstead: {
    what: '`asked_instead`: words of a title typed by someone who then followed another question instead',
    kept: '2 years',
    since: 'since they did, or until they unfollow it',
  },
  searchOpenings: {
    what: '`search_openings`: words of searches that led someone to a question, with a keyed hash of person, question and word',
    kept: '180 days',
    since: 'since the day they last opened it that way',
  },
  tagChanges: {
    what: '`tag_changes`, `tag_moves`',
    kept: '1 hour',
    since: 'since an instructor changed a tag; the old word goes with them where no course uses it',
  },
  courseExports: {
    what: '`course_exports`: copies of courses, with their files',
    kept: '1 day',
    since: 'since an instructor asked for one',
  },
  importFiles: {
    what: 'files of `course_imports`',
    kept: '1 day',
    since: 'since an instructor brought one, or until it is imported',
  },
  courseImports: {
    what: '`course_imports`: names of these files, and what became of each',
    kept: '30 days',
    since: 'since an instructor brought it',
  },
  bulkActs: {
    what: '`bulk_acts`, `bulk_items`: what staff did to several posts at once, and what an undo of it needs',
    kept: '30 days',
    since: 'since it was done; the audit log has it longer',
  },
  pendingRoles: {
    what: '`pending_roles`, `asked_roles`: addresses and names of people without an account',
    kept: '180 days',
    since: 'since the role was given; the course can invite again',
  },
  importedAddresses: {
    what: '`imported_addresses`: addresses that came with an import, of people without an account',
    kept: '24 months',
    since: 'since the import, or until the owner of the address claims or refuses the posts',
  },
  cases: {
    what: '`cases` that were decided, with `case_snapshots` and `reports`',
    kept: '1 year',
    since:
      'since the decision, unless admins chose another term; the case itself as long as one of its measures is in force',
  },
  merges: {
    what: '`account_merge_rows`, and what `account_merges` keeps of a closed account for an undo',
    kept: '7 days',
    since: 'since the merge, or until the account that stayed is deleted; both numbers stay for good',
  },
  unconfirmed: {
    what: '`people` whose address was never confirmed',
    kept: '1 year',
    since:
      'since they joined, if nothing would be missed: they wrote, voted, followed and reported nothing, are in no course and aren’t signed in',
  },
} as const satisfies Record<string, Record<'what' | 'kept' | 'since', string>>

export function term(name: keyof typeof TERMS): RawBuilder<unknown> {
  return sql`interval ${sql.lit(TERMS[name].kept)}`
}

/** The table as docs/security.md has it. */
export function termsTable(): string {
  const rows = Object.values(TERMS).map(({ what, kept, since }) => `| ${what} | ${kept} | ${since} |`)
  return ['| what | kept | since |', '| --- | --- | --- |', ...rows].join('\n')
}

/** Maximum rows per statement, so that it completes long before the statement timeout. */
export const MAX_SWEPT_ROWS = 1000

/**
 * Deletes expired rows, at most MAX_SWEPT_ROWS per call. Locked rows are skipped until the next sweep, so
 * that it never waits.
 * @returns the number of rows deleted
 */
export async function sweep(db: Database, table: string, isExpired: RawBuilder<unknown>): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from ${sql.table(table)} where ctid = any(array(
      select ctid from ${sql.table(table)} where ${isExpired} limit ${MAX_SWEPT_ROWS} for update skip locked))`.execute(
    db,
  )
  return Number(numAffectedRows ?? 0)
}

/** The same of a table that says which of its rows are over. */
export const sweepTable = (db: Database, { name, expired = sql`false` }: Table) => sweep(db, name, expired)

/**
 * Sweeps until few rows are left.
 * @param isStopping checked after each step
 * @returns the number of rows deleted
 */
export async function sweepAll(
  db: Database,
  sweepSome: (db: Database) => Promise<number>,
  isStopping: () => boolean = () => false,
): Promise<number> {
  let all = 0
  for (;;) {
    const some = await sweepSome(db)
    all += some
    if (some < MAX_SWEPT_ROWS || isStopping()) return all
  }
}
