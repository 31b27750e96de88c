import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { missed, type NamesPerson, owner, ownOf } from '../../database/table.ts'
import { mark } from '../../kernel/mark.ts'
import { ownPart } from '../../kernel/own-data.ts'
import { answer, question } from './lock.ts'
import { placedAt, titleFor } from './tables.ts'

/** Whoever leaves is still counted. */
const voter: NamesPerson = { ...missed(owner), as: 'author', leaving: 'stays' }

export const questionVote = voting('question', 'QuestionVote', question)

export const answerVote = voting('answer', 'AnswerVote', answer)

function voting(kind: Votable['kind'], noun: string, find: typeof question) {
  return mark({
    name: `vote-for-${kind}`,
    right: 'vote',
    find,
    address: `/${kind}s/:id/vote`,
    formAddress: `/${kind}s/:id/votes`,
    noun,
    flash: { set: 'votes.flash.cast', unset: 'votes.flash.takenBack' },
    table: ownOf(`${kind}_votes`, `${kind}_id`, `${kind}s`, { column: voter }),
    change: ({ write, subject: { id }, person }, isVoted) =>
      castVote(write, { kind, id }, person.id, isVoted),
  })
}

export interface Votable {
  readonly kind: 'question' | 'answer'
  readonly id: number
}

/**
 * Votes for a post, or takes the vote back. One statement: the vote's row decides by its primary key whether anything
 * changes, and the counter changes with it, so that parallel requests cannot count a person twice.
 */
export async function castVote(db: Database, post: Votable, personId: number, isVoted: boolean) {
  const votes = sql.table(`${post.kind}_votes`)
  const posts = sql.table(`${post.kind}s`)
  const postId = sql.ref(`${post.kind}_id`)
  const changed = isVoted
    ? sql`insert into ${votes} (${postId}, person_id) values (${post.id}, ${personId}) on conflict do nothing returning 1`
    : sql`delete from ${votes} where ${postId} = ${post.id} and person_id = ${personId} returning 1`
  await sql`
    with changed as (${changed})
    update ${posts} set votes_count = votes_count + ${isVoted ? 1 : -1}
    where id = ${post.id} and exists (select from changed)`.execute(db)
}

export function isVotedBy(kind: Votable['kind'], post: string, personId: number | null): RawBuilder<boolean> {
  const [votes, postId] = [sql.table(`${kind}_votes`), sql.ref(`${kind}_id`)]
  return sql<boolean>`exists (select from ${votes} as vote
    where vote.${postId} = ${sql.ref(`${post}.id`)} and vote.person_id = ${personId ?? 0})`
}

/** The questions a person voted for, and those whose answers they voted for. */
export const ownVotes = [
  ownPart('questionVotes', async (db, person, baseUrl) => {
    const votes = await db
      .selectFrom('question_votes as vote')
      .innerJoin('questions as question', 'question.id', 'vote.question_id')
      .select(['question.id as questionId', 'question.audience', titleFor(person)])
      .select(['vote.voted_at as votedAt'])
      .where('vote.person_id', '=', person.id)
      .orderBy('vote.voted_at')
      .execute()
    return votes.map(placedAt(baseUrl))
  }),
  ownPart('answerVotes', async (db, person, baseUrl) => {
    const votes = await db
      .selectFrom('answer_votes as vote')
      .innerJoin('answers as answer', 'answer.id', 'vote.answer_id')
      .innerJoin('questions as question', 'question.id', 'answer.question_id')
      .select(['question.id as questionId', 'question.audience', titleFor(person), 'answer.id as answerId'])
      .select(['vote.voted_at as votedAt'])
      .where('vote.person_id', '=', person.id)
      .orderBy('vote.voted_at')
      .execute()
    return votes.map(placedAt(baseUrl))
  }),
]
