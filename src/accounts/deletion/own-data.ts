import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import type { Actor } from '../../kernel/rights/rights.ts'
import { pictureAddress } from '../../text/picture-address.ts'
import { listPasskeys } from '../passkeys/passkey.ts'
import { ownPosts, ownVotes } from './own-posts.ts'

/**
 * Everything the forum keeps about a person, as plain data: the account, where it is signed in, what they wrote (deleted posts,
 * too), voted for and follow, which mails they got, and what they are still writing. No secrets.
 * @param baseUrl begins the addresses of questions
 */
export async function ownData(db: Database, person: Actor, baseUrl: string) {
  const { id: personId } = person
  const { posts, votes, told, cases, ...kept } = await together({
    account: accountOf(db, personId),
    courses: coursesOf(db, personId),
    sessions: sessionsOf(db, personId),
    passkeys: passkeysOf(db, personId),
    linkedAccounts: linkedAccountsOf(db, personId),
    tokens: tokensOf(db, personId),
    mails: mailsOf(db, personId),
    pictures: picturesOf(db, personId, baseUrl),
    earlierTexts: earlierTextsOf(db, personId),
    drafts: draftsOf(db, personId),
    posts: ownPosts(db, person, baseUrl),
    votes: ownVotes(db, person, baseUrl),
    placesFollowed: placesFollowedBy(db, personId),
    told: toldTo(db, personId),
    desk: ownDeskActs(db, personId, baseUrl),
    activity: activityOf(db, personId),
    cases: ownCases(db, personId),
  })
  return { ...kept, ...posts, ...votes, ...told, ...cases }
}

/** Their sign-in events, and what they did as staff. Index audit_actor. */
function activityOf(db: Database, personId: number) {
  return db
    .selectFrom('audit')
    .select(['happened_at as at', 'act', 'role', 'detail'])
    .where('actor_id', '=', personId)
    .orderBy('happened_at')
    .orderBy('id')
    .execute()
}

function accountOf(db: Database, personId: number) {
  return db
    .selectFrom('people')
    .select(['id', 'display_name as name', 'email', 'email_confirmed_at as emailConfirmedAt'])
    .select(['language', 'time_zone as timeZone', 'theme', 'is_admin as isAdmin', 'joined_at as joinedAt'])
    .select(
      sql<boolean>`exists (select from second_factors as factor
        where factor.person_id = people.id and factor.confirmed_at is not null)`.as('hasSecondFactor'),
    )
    .select(
      sql<number[]>`array(select from_id from account_merges where into_id = people.id order by id)`.as(
        'mergedAccounts',
      ),
    )
    .where('id', '=', personId)
    .executeTakeFirstOrThrow()
}

function coursesOf(db: Database, personId: number) {
  return db
    .selectFrom('course_members as member')
    .innerJoin('courses as course', 'course.id', 'member.course_id')
    .select(['course.title', 'member.role'])
    .where('member.person_id', '=', personId)
    .orderBy('course.id')
    .execute()
}

/** Courses (false: told to be silent), lectures and tags. */
async function placesFollowedBy(db: Database, personId: number) {
  const { rows } = await sql<{ kind: string; name: string; isFollowed: boolean; followedAt: Date }>`
    select 'course' as kind, course.slug as name, is_followed as "isFollowed", followed_at as "followedAt"
    from course_follows join courses as course on course.id = course_id where person_id = ${personId}
    union all select 'lecture', course.slug || ' ' || lecture.position, true, followed_at
    from lecture_follows join lectures as lecture on lecture.id = lecture_id
    join courses as course on course.id = lecture.course_id where person_id = ${personId}
    union all select 'tag', tag.name, true, followed_at
    from tag_follows join tags as tag on tag.id = tag_id where person_id = ${personId}
    order by 4`.execute(db)
  return rows
}

/** By the numbers of questions and courses: titles are told where the person may read them, among follows and posts. */
function toldTo(db: Database, personId: number) {
  return together({
    notifications: db
      .selectFrom('notifications')
      .select([
        'question_id as question',
        'announcement_id as announcement',
        'reason',
        'count',
        'happened_at as happenedAt',
      ])
      .select(['seen_at as seenAt', 'mailed_at as mailedAt'])
      .where('person_id', '=', personId)
      .orderBy('id')
      .execute(),
    reads: db
      .selectFrom('question_reads')
      .select(['question_id as question', 'read_at as readAt'])
      .where('person_id', '=', personId)
      .orderBy('question_id')
      .execute(),
    coursesRead: db
      .selectFrom('course_reads')
      .select(['course_reads.course_id as course', 'course_reads.read_up_to as readUpTo'])
      .where('course_reads.person_id', '=', personId)
      .orderBy('course_reads.course_id')
      .execute(),
    mentions: db
      .selectFrom('mentions')
      .select(['question_id as question', 'answer_id as answer', 'reply_id as reply'])
      .select('mentioned_at as mentionedAt')
      .where('person_id', '=', personId)
      .orderBy('mentioned_at')
      .execute(),
    pushes: db
      .selectFrom('push_subscriptions')
      .select(['created_at as since', 'last_sent_at as lastAt'])
      .where('person_id', '=', personId)
      .orderBy('id')
      .execute(),
  })
}

function sessionsOf(db: Database, personId: number) {
  return db
    .selectFrom('sessions')
    .select(['user_agent as browser', 'signed_in_at as signedInAt', 'last_seen_at as lastSeenAt'])
    .where('person_id', '=', personId)
    .orderBy('signed_in_at')
    .execute()
}

/** Names and dates: keys are of no use to anybody else. */
async function passkeysOf(db: Database, personId: number) {
  const passkeys = await listPasskeys(db, personId)
  return passkeys.map(({ id: _, ...passkey }) => passkey)
}

/** Accounts at providers: who they are there is theirs to know. */
function linkedAccountsOf(db: Database, personId: number) {
  return db
    .selectFrom('linked_accounts')
    .select(['issuer', 'subject', 'account_name as accountName'])
    .select(['linked_at as linkedAt', 'last_used_at as lastUsedAt'])
    .where('person_id', '=', personId)
    .orderBy('id')
    .execute()
}

/** Names and dates of tokens for programs. */
function tokensOf(db: Database, personId: number) {
  return db
    .selectFrom('api_tokens')
    .select(['name', 'scopes', 'created_at as createdAt', 'ends_at as endsAt', 'last_used_at as lastUsedAt'])
    .where('person_id', '=', personId)
    .orderBy('id')
    .execute()
}

/** What they wrote before it was edited, but for what staff removed. */
function earlierTextsOf(db: Database, personId: number) {
  return db
    .selectFrom('post_versions')
    .select(['question_id as questionId', 'answer_id as answerId', 'reply_id as replyId', 'version'])
    .select(['title', 'body', 'tags', 'reason', 'written_at as writtenAt'])
    .where('written_by', '=', personId)
    .where('redacted_at', 'is', null)
    .orderBy('written_at')
    .execute()
}

/** Addresses and words: the pictures themselves are there for the owner, signed in. */
async function picturesOf(db: Database, personId: number, baseUrl: string) {
  const pictures = await db
    .selectFrom('images')
    .select(['name', 'alt', 'bytes', 'uploaded_at as uploadedAt'])
    .where('uploader_id', '=', personId)
    .orderBy('id')
    .execute()
  return pictures.map(({ name, ...picture }) => ({
    address: `${baseUrl}${pictureAddress(name)}`,
    ...picture,
  }))
}

function draftsOf(db: Database, personId: number) {
  return db
    .selectFrom('drafts')
    .select(['place', 'fields', 'saved_at as savedAt'])
    .where('person_id', '=', personId)
    .where(sql<boolean>`fields <> '{}'`)
    .orderBy('id')
    .execute()
}

function mailsOf(db: Database, personId: number) {
  return db
    .selectFrom('mails')
    .select(['recipient', 'subject', 'written_at as writtenAt', 'sent_at as sentAt'])
    .where('person_id', '=', personId)
    .orderBy('id')
    .execute()
}

/** What a person decided as staff and still holds: endorsed, taken, linked as a duplicate, pinned; addresses alone. */
async function ownDeskActs(db: Database, personId: number, baseUrl: string) {
  const { rows } = await sql<{ act: string; question: number; at: Date | null }>`
    select 'endorsed' as act, question_id as question, endorsed_at as at from answers where endorsed_by = ${personId}
    union all select 'taken', question_id, assigned_at from question_desk where assignee_id = ${personId}
    union all select 'linked as a duplicate', id, null from questions where duplicate_by = ${personId}
    union all select 'pinned', question_id, null from pins where pinned_by = ${personId}
    order by act, question`.execute(db)
  return rows.map(({ act, question, at }) => ({ act, address: `${baseUrl}/questions/${question}`, at }))
}

/**
 * A person's own reports, the decisions about them with the reasons, and their objections. Nothing of who reported them, and
 * nothing that staff noted among themselves.
 */
async function ownCases(db: Database, personId: number) {
  const [reports, { rows: decisions }] = await Promise.all([
    db
      .selectFrom('reports')
      .innerJoin('cases', 'cases.id', 'reports.case_id')
      .select([
        'cases.subject as about',
        'reports.reason',
        'reports.note',
        'reports.reported_at as reportedAt',
      ])
      .select('cases.state as outcome')
      .where('reports.person_id', '=', personId)
      .orderBy('reports.id')
      .execute(),
    sql<Record<string, unknown>>`
      select matter.subject as about, measures.kind, measures.is_everywhere as "isEverywhere", course.title as course, matter.rule,
        matter.note as reason, matter.is_reported as "wasReported", measures.starts_at as "startsAt", measures.ends_at as "endsAt",
        measures.ended_at as "endedAt", measures.ended_how as "endedHow", measures.end_note as "endNote",
        objections.note as objection, objections.outcome as "objectionOutcome", objections.answer as "objectionAnswer"
      from measures join cases as matter on matter.id = measures.case_id
      left join courses as course on course.id = matter.course_id
      left join objections on objections.measure_id = measures.id
      where measures.person_id = ${personId} order by measures.id`.execute(db),
  ])
  return { reports, decisions }
}

/** Waits for all values of an object, which are read side by side. */
async function together<Parts extends Readonly<Record<string, unknown>>>(
  parts: Parts,
): Promise<{ [Name in keyof Parts]: Awaited<Parts[Name]> }> {
  const read = Object.entries(parts).map(async ([name, part]) => [name, await part])
  return Object.fromEntries(await Promise.all(read))
}
