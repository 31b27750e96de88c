import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { sweep } from '../../database/sweep.ts'
import { term } from '../../database/terms.ts'

/**
 * Columns by which an account would be missed: what somebody wrote, decided, said of a post, follows or began, and where others named
 * them. One that never confirmed an address has them if it was signed in once, or was invited, imported or merged.
 */
export const MISSED_BY = [
  ...['questions.author_id', 'questions.edited_by', 'questions.duplicate_by', 'answers.author_id'],
  ...['answers.edited_by', 'answers.endorsed_by', 'replies.author_id', 'replies.edited_by'],
  ...['post_versions.written_by', 'post_versions.redacted_by', 'stand_ins.person_id', 'pins.pinned_by'],
  ...[
    'question_votes.person_id',
    'answer_votes.person_id',
    'mentions.mentioned_by',
    'announcements.author_id',
  ],
  ...['question_desk.assignee_id', 'question_desk.assigned_by', 'question_desk.done_by'],
  ...['course_members.person_id', 'sessions.person_id', 'linked_accounts.person_id', 'api_tokens.person_id'],
  ...[
    'drafts.person_id',
    'reports.person_id',
    'cases.person_id',
    'measures.person_id',
    'imported_people.person_id',
  ],
  ...[
    'question_follows.person_id',
    'course_follows.person_id',
    'lecture_follows.person_id',
    'tag_follows.person_id',
  ],
  ...['account_merges.from_id', 'account_merges.into_id'],
] as const

/**
 * Deletes accounts whose address nobody confirmed in a year, and of which nobody would miss anything: a stranger may have typed it.
 * Uses index people_unconfirmed, and of each column the index that its foreign key needs.
 */
export function sweepUnconfirmed(db: Database): Promise<number> {
  const isMissed = MISSED_BY.map((place) => {
    const [table = '', column = ''] = place.split('.')
    return none(table, column)
  })
  return sweep(
    db,
    'people',
    sql`email is not null and email_confirmed_at is null and joined_at < now() - ${term('unconfirmed')}
      and not is_admin and left_at is null and ${sql.join(isMissed, sql` and `)}`,
  )
}

/** Nobody has read or counted anything of theirs: of a row of `people`. */
const none = (table: string, column: string) =>
  sql<boolean>`not exists (select from ${sql.table(table)} as own where own.${sql.ref(column)} = people.id)`

const NOTHING_WRITTEN = sql<boolean>`(${none('questions', 'author_id')} and ${none('answers', 'author_id')}
  and ${none('replies', 'author_id')} and ${none('question_votes', 'person_id')} and ${none('answer_votes', 'person_id')})`

/**
 * Whether an account, a row of `people`, is one that a provider opens and that its owner would not miss: no other way in, no confirmed
 * address, nothing written, and no role but what the provider's claims gave.
 */
export const IS_EMPTY = sql<boolean>`(
  not people.is_admin and people.left_at is null and people.password_hash is null and people.email_confirmed_at is null
  and ${none('passkeys', 'person_id')} and ${none('api_tokens', 'person_id')} and ${NOTHING_WRITTEN}
  and (select count(*) from linked_accounts as own where own.person_id = people.id) = 1
  and not exists (select from course_members as member where member.person_id = people.id and not exists (
    select from claimed_roles as claimed where claimed.person_id = people.id and claimed.course_id = member.course_id)))`
