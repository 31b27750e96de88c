import { sql } from 'kysely'
import { type CountedTable, filledTable, type OnlyChanged } from '../../database/counted-tables.ts'
import type { Audience, Database } from '../../database/schema.ts'
import { actor, author, missed, owner, table, unmissed } from '../../database/table.ts'
import { ownPart } from '../../kernel/own-data.ts'
import type { Actor } from '../../kernel/rights/rights.ts'
import { readableTo, shownTo } from '../../kernel/rights/visibility.ts'
import { questionPath } from '../../web/paths.ts'
import { type BelowTable, KINDS } from './kinds.ts'

const post = { author_id: author, edited_by: actor, deleted_by: unmissed(actor) }

/**
 * The columns that answers and replies have in common, which a post takes along as it is converted from the one into the other; and those
 * of answers that begin anew, as votes.
 */
export const COLUMNS_BELOW = [
  ...['question_id', 'author_id', 'body', 'body_html', 'renderer_version', 'calls_staff', 'is_anonymous'],
  ...['written_at', 'edited_at', 'edited_by', 'edit_reason', 'version', 'is_imported', 'was_staff'],
  ...['deleted_at', 'deleted_by', 'purged_at', 'held_at', 'held_for', 'hidden_at', 'is_shown'],
] as const
export const COLUMNS_OF_ANSWERS = [
  ...['votes_count', 'imported_votes_count', 'was_accepted', 'endorsed_by', 'endorsed_at'],
] as const

/**
 * What becomes of each column that names an answer or a reply as that is converted. `moves`: its row is the new post's, in the other
 * column of the pair. `below`: the row is under an answer, and then under what the new reply is under.
 */
export const NAMING_POSTS = {
  moves: [
    ...(
      ['post_versions', 'mentions', 'post_images', 'imported_posts', 'left_out_texts', 'cases'] as const
    ).map((table) => ({ table, answers: 'answer_id', replies: 'reply_id' }) as const),
    { table: 'conversions', answers: 'answer_id', replies: 'reply_id' },
    { table: 'notifications', answers: 'first_answer_id', replies: 'first_reply_id' },
  ],
  below: ['replies', 'reply_keys', 'conversion_undos'],
  /**
   * Votes end, an accepted answer isn't converted, answers by email to a reply go under the answer that it becomes, and events say what
   * happened to the number that a post had.
   */
  apart: [
    ...(['answer_votes.answer_id', 'questions.accepted_answer_id', 'reply_keys.reply_id'] as const),
    ...(['events.answer_id', 'events.reply_id'] as const),
  ],
} as const

/** Whoever leaves is their author still, and is still mentioned, as a former member. */
export const postTables = [
  table('questions', { ...post, duplicate_by: actor }, { question: 'id' }),
  table('answers', { ...post, endorsed_by: actor }, { question: 'question_id' }),
  table('replies', post, { question: 'question_id' }),
  table(
    'post_versions',
    { written_by: author, redacted_by: actor },
    { key: ['question_id', 'answer_id', 'reply_id', 'version'] },
  ),
  // Counted by triggers.
  table('course_authors', { person_id: { ...owner, merge: 'stays', leaving: 'stays' } }),
]

const stays = { ...owner, leaving: 'stays' } as const

export const mentions = table(
  'mentions',
  { person_id: stays, mentioned_by: missed(stays) },
  {
    key: ['question_id', 'answer_id', 'reply_id', 'person_id'],
    own: {
      things: [['question_id', 'answer_id', 'reply_id']],
      parents: { question_id: 'questions', answer_id: 'answers', reply_id: 'replies' },
    },
  },
)

/** What a person wrote, oldest first, with the address of the question each belongs to. */
export const ownPosts = [
  ownPart('questions', async (db, { id }, baseUrl) => (await ownQuestions(db, id)).map(placedAt(baseUrl))),
  ...(['answers', 'replies'] as const).map((table) =>
    ownPart(table, async (db, person, baseUrl) => (await ownBelow(db, person, table)).map(placedAt(baseUrl))),
  ),
]

function ownQuestions(db: Database, personId: number) {
  return db
    .selectFrom('questions as post')
    .select(['post.id as questionId', 'post.title', 'post.body'])
    .select(['post.audience', 'post.is_anonymous as isAnonymous'])
    .select(['post.written_at as writtenAt', 'post.edited_at as editedAt', 'post.deleted_at as deletedAt'])
    .where('post.author_id', '=', personId)
    .orderBy('post.id')
    .execute()
}

/** The columns of both tables are alike, which their union doesn't tell. */
function ownBelow(db: Database, person: Actor, table: BelowTable) {
  return db
    .selectFrom(`${table as 'answers'} as post`)
    .innerJoin('questions as question', 'question.id', 'post.question_id')
    .leftJoin('left_out_texts as left', (join) => join.onRef(`left.${KINDS[table].column}`, '=', 'post.id'))
    .select(['question.id as questionId', titleFor(person)])
    .select([`post.id as ${KINDS[table].kind}Id`, 'post.body', 'left.text as leftOutOfEmail'])
    .select(['question.audience', 'post.is_anonymous as isAnonymous'])
    .select(['post.written_at as writtenAt', 'post.edited_at as editedAt', 'post.deleted_at as deletedAt'])
    .where('post.author_id', '=', person.id)
    .orderBy('post.id')
    .execute()
}

interface InQuestion {
  readonly questionId: number
  readonly audience: Audience
  /** null: the question is deleted, or in a course that the person may not read any more. Of their own it is always told. */
  readonly title: string | null
}

export function titleFor(person: Actor) {
  return sql<string | null>`case when exists (
    select from questions as q join courses as course on course.id = q.course_id
    where q.id = question.id and ${shownTo(person, 'q')} and ${readableTo(person)})
    then question.title end`.as('title')
}

/** A row with the address of its question instead of the question's number. */
export function placedAt(baseUrl: string) {
  const pathOf = (id: number, title: string | null, audience: Audience) =>
    title === null ? `/questions/${id}` : questionPath({ id, title, audience })
  return <Row extends InQuestion>({ questionId, ...row }: Row) => ({
    address: `${baseUrl}${pathOf(questionId, row.title, row.audience)}`,
    ...row,
  })
}

/** What they wrote before it was edited, but for what staff removed. */
export const ownEarlierTexts = ownPart('earlierTexts', (db, { id: personId }) =>
  db
    .selectFrom('post_versions')
    .select(['question_id as questionId', 'answer_id as answerId', 'reply_id as replyId', 'version'])
    .select(['title', 'body', 'tags', 'reason', 'written_at as writtenAt'])
    .where('written_by', '=', personId)
    .where('redacted_at', 'is', null)
    .orderBy('written_at')
    .execute(),
)

export const ownMentions = ownPart('mentions', (db, { id: personId }) =>
  db
    .selectFrom('mentions')
    .select(['question_id as question', 'answer_id as answer', 'reply_id as reply'])
    .select('mentioned_at as mentionedAt')
    .where('person_id', '=', personId)
    .orderBy('mentioned_at')
    .execute(),
)

export const personCounts: CountedTable = {
  table: 'people',
  key: ['id'],
  joins: (only) => sql`
    left join (select author_id, count(*)::integer as number from questions
      where is_listed and not is_anonymous and ${only('people', 'author_id')} group by author_id)
      as asked on asked.author_id = kept.id
    left join (select author_id, count(*)::integer as number from answers
      where is_shown and not is_anonymous and ${only('people', 'author_id')} group by author_id)
      as answered on answered.author_id = kept.id`,
  compared: (only) => only('people', 'kept.id'),
  counters: {
    questions_count: sql`coalesce(asked.number, 0)`,
    answers_count: sql`coalesce(answered.number, 0)`,
  },
}

/** An answer counts while it is shown itself, whatever the state of its question. */
export const questionCounts: CountedTable = {
  table: 'questions',
  key: ['id'],
  joins: (only) => sql`
    left join (select question_id, count(*)::integer as number from answers
      where is_shown and ${only('questions', 'question_id')} group by question_id)
      as answered on answered.question_id = kept.id
    left join (select question_id, count(*)::integer as number from question_votes
      where ${only('questions', 'question_id')} group by question_id)
      as voted on voted.question_id = kept.id`,
  compared: (only) => only('questions', 'kept.id'),
  counters: {
    answers_count: sql`coalesce(answered.number, 0)`,
    votes_count: sql`kept.imported_votes_count + coalesce(voted.number, 0)`,
  },
}

export const answerCounts: CountedTable = {
  table: 'answers',
  key: ['id'],
  joins: (only) => sql`
    left join (select answer_id, count(*)::integer as number from answer_votes
      where ${only('answers', 'answer_id')} group by answer_id)
      as voted on voted.answer_id = kept.id`,
  compared: (only) => only('answers', 'kept.id'),
  counters: { votes_count: sql`kept.imported_votes_count + coalesce(voted.number, 0)` },
}

const authorsOfCourses = (only: OnlyChanged) => sql`
  select course_id, author_id as person_id, sum(asked)::integer as questions_count, sum(answered)::integer as answers_count
  from (
    select course_id, author_id, 1 as asked, 0 as answered from questions
    where is_shown and ${only('courses', 'course_id')} and ${only('people', 'author_id')}
    union all
    select question.course_id, answer.author_id, 0, 1
    from answers as answer join questions as question on question.id = answer.question_id
    where answer.is_shown
      and ${only('courses', 'question.course_id')} and ${only('people', 'answer.author_id')}
  ) as post group by course_id, author_id`

export const courseAuthorCounts = filledTable(
  'course_authors',
  'people',
  ['course_id', 'person_id'],
  authorsOfCourses,
  ['questions_count', 'answers_count'],
)
