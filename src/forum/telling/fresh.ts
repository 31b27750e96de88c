import { type RawBuilder, sql } from 'kysely'
import type { AuthorRow } from '../authors/byline.ts'
import { sealedName } from '../authors/sealed-name.ts'
import { heldIn } from './held.ts'

/**
 * Whether a person is who a reply answers: whose post it is under, or who replied there before. Aliases `post`, the reply, `q`, its
 * question, and `parent`, its answer or nulls.
 */
export const isRepliedTo = (personId: RawBuilder<unknown>): RawBuilder<boolean> => sql<boolean>`(
  ${personId} = coalesce(parent.author_id, q.author_id) or exists (
    select from replies as earlier where earlier.question_id = post.question_id
      and earlier.answer_id is not distinct from post.answer_id and earlier.author_id = ${personId}
      and earlier.id < post.id and earlier.is_shown))`

const FOR_EVER = sql`'infinity'::timestamptz`

/** Of each kind of post: those of question `q`, and why the person of alias `person` is told of one that does not mention them. */
const KINDS = {
  question: { posts: sql`(select q.*) as post`, isThere: sql`true`, reason: sql`'question'` },
  answer: {
    posts: sql`answers as post`,
    isThere: sql`post.question_id = q.id`,
    reason: sql`case when q.author_id = person.id then 'answered' else 'followed' end`,
  },
  reply: {
    posts: sql`replies as post left join answers as parent on parent.id = post.answer_id`,
    isThere: sql`post.question_id = q.id and parent.is_shown is not false`,
    reason: sql`case when ${isRepliedTo(sql`person.id`)} then 'reply' else 'followed' end`,
  },
} as const

/** Whoever's edit mentions the person is named for the post. */
const freshOf = (kind: keyof typeof KINDS, since: RawBuilder<unknown>) => sql`
  select ${sql.lit(kind)} as kind, post.id, coalesce(mention.mentioned_by, post.author_id) as author_id,
    post.is_anonymous and mention.mentioned_by is null as is_anonymous, post.written_at,
    greatest(post.written_at, mention.mentioned_at) as told_at, post.body, post.body_html,
    case when mention.person_id is not null then 'mention' else ${KINDS[kind].reason} end as reason
  from ${KINDS[kind].posts}
  left join mentions as mention on mention.${sql.ref(`${kind}_id`)} = post.id and mention.person_id = person.id
  where ${KINDS[kind].isThere} and post.is_shown and post.author_id <> person.id
    and greatest(post.written_at, mention.mentioned_at) >= ${since}`

/**
 * The posts of question `q` that the person of alias `person` has not written and that came, or began to mention them, at a time or after it, oldest first:
 * kind, id, author_id, is_anonymous, written_at, told_at, body, body_html, reason. What is not shown is not among them, nor what is under an answer that is not.
 * @param since an expression of the time
 * @param until an expression of the time after which nothing is taken
 */
export const freshPosts = (
  since: RawBuilder<unknown>,
  limit = 100,
  until: RawBuilder<unknown> = FOR_EVER,
): RawBuilder<unknown> => sql`
  select post.* from (
    ${freshOf('question', since)} union all ${freshOf('answer', since)} union all ${freshOf('reply', since)}
  ) as post where post.told_at <= ${until}
  order by post.written_at, post.id limit ${sql.lit(limit)}`

/**
 * The same with their authors, as one column `posts` of JSON: `kind`, `id`, `reason` and the fields of an AuthorRow.
 * @param texts more fields, as jsonb_build_object takes them, of alias `post`. @param posts freshPosts
 */
export const freshPostsJson = (texts: RawBuilder<unknown>, posts: RawBuilder<unknown>) => sql`
  select coalesce(jsonb_agg(jsonb_build_object('kind', post.kind, 'id', post.id, 'reason', post.reason, ${texts},
    'author_id', post.author_id, 'author_name', ${sealedName('author.display_name')}, 'author_role', author_member.role,
    'is_anonymous', post.is_anonymous, 'stand_in', stand_in.number) order by post.written_at, post.id), '[]') as posts
  from (${posts}) as post
  join people as author on author.id = post.author_id
  left join course_members as author_member
    on author_member.course_id = q.course_id and author_member.person_id = post.author_id
  left join stand_ins as stand_in on stand_in.question_id = q.id and stand_in.person_id = post.author_id`

export interface FreshPost extends AuthorRow {
  readonly kind: 'question' | 'answer' | 'reply' | 'announcement'
  readonly id: number
  readonly reason: 'mention' | 'question' | 'answered' | 'reply' | 'followed' | 'announcement'
}

const hasOwnAnswer = (condition: RawBuilder<boolean>) => sql<boolean>`exists (
  select from answers as own where own.question_id = q.id and own.author_id = person.id and own.is_shown and ${condition})`

/** What is told beside posts, the strongest first: the column of `notice` that has its time, and whether it is still so. */
const SAID = [
  { reason: 'accepted', at: 'notice.accepted_at', holds: hasOwnAnswer(sql`own.id = q.accepted_answer_id`) },
  { reason: 'endorsed', at: 'notice.endorsed_at', holds: hasOwnAnswer(sql`own.endorsed_by is not null`) },
  {
    reason: 'clarification',
    at: 'notice.clarify_at',
    holds: sql<boolean>`exists (
      select from question_desk as desk where desk.question_id = q.id and desk.asker_since = desk.reminded_since)`,
  },
  {
    reason: 'promise',
    at: 'notice.overdue_at',
    holds: sql<boolean>`exists (
      select from question_desk as desk where desk.question_id = q.id and desk.waiting_since = desk.told_due_since)`,
  },
  { reason: 'moved', at: 'notice.moved_at', holds: sql<boolean>`true` },
  { reason: 'converted', at: 'notice.converted_at', holds: sql<boolean>`true` },
  { reason: 'released', at: 'notice.released_at', holds: sql<boolean>`q.is_shown` },
  {
    reason: 'held',
    at: 'notice.held_at',
    holds: sql<boolean>`(exists (${heldIn(sql`q.course_id`)}) and (person.is_admin or exists (
      select from course_members as staff
      where staff.course_id = q.course_id and staff.person_id = person.id and staff.role <> 'learner')))`,
  },
] as const
export const SAID_REASONS = SAID.map(({ reason }) => reason)
export type Said = (typeof SAID)[number]['reason']

/**
 * The strongest of what `notice` tells beside posts since a time, as far as it is still so: that an answer of the person's is
 * accepted or endorsed, that staff wait for a clarification, that the question waits for longer than its course promises, that a post
 * of the person's was let through, that posts wait for that, or what staff moved; null: nothing.
 * @param isWished whether to say it
 * @param until an expression of the time after which nothing is taken
 */
export const saidOf = (
  since: RawBuilder<unknown>,
  isWished: (reason: Said) => RawBuilder<boolean> = () => sql<boolean>`true`,
  until: RawBuilder<unknown> = FOR_EVER,
): RawBuilder<Said | null> => {
  const cases = SAID.map(
    ({ reason, at, holds }) => sql`
      when ${sql.ref(at)} between ${since} and ${until} and ${holds} and ${isWished(reason)} then ${sql.lit(reason)}`,
  )
  return sql<Said | null>`case ${sql.join(cases, sql` `)} end`
}

/** Staff who were told first that a question or a post waits hear of posts in it only where they follow it. */
export const hearsOfPosts = sql`(notice.reason not in ('promise', 'held') or greatest(notice.overdue_at, notice.held_at) > notice.since_at
  or exists (select from question_follows as follow
    where follow.question_id = q.id and follow.person_id = person.id and follow.level = 'follow'))`

/** Whether the person of alias `person` can be told of question `q`: of one that is held that it waits, and nothing else. */
export const isTellable = (said: RawBuilder<unknown>) => sql<boolean>`(q.is_shown or ${said} = 'held')`

export const stillHolds: RawBuilder<boolean> = sql<boolean>`(
  (q.is_shown and ${hearsOfPosts} and exists (${freshPosts(sql`notice.since_at`, 1)}))
  or exists (select from (select ${saidOf(sql`notice.since_at`)} as said) as beside
    where beside.said is not null and ${isTellable(sql`beside.said`)}))`
