import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { missed, type NamesPerson, owner, ownOf } from '../../database/table.ts'
import { personOf } from '../../operations/actor.ts'
import { yes } from '../../operations/fields.ts'
import { operation } from '../../operations/operation.ts'
import { questionOf } from '../posts/find.ts'
import { answer, question } from '../posts/subjects.ts'

/** Whoever leaves is still counted. */
const voter: NamesPerson = { ...missed(owner), as: 'author', leaving: 'stays' }
export const voteTables = [
  ownOf('question_votes', 'question_id', 'questions', { column: voter }),
  ownOf('answer_votes', 'answer_id', 'answers', { column: voter }),
]

/** Votes for a question, or takes the vote back. */
export const questionVote = voting('question', question)

/** Votes for an answer, or takes the vote back. */
export const answerVote = voting('answer', answer)

function voting(kind: 'question' | 'answer', find: typeof question) {
  return operation({
    name: `vote-for-${kind}`,
    right: 'vote',
    find,
    limit: 'voting',
    input: { value: yes },
    async run({ write, actor, subject, input: { value: isVoted } }) {
      const { id } = subject
      await castVote(write, { kind, id }, personOf(actor).id, isVoted)
      return { id, question: questionOf(subject), isVoted }
    },
  })
}

/** What can be voted for. */
export interface Votable {
  readonly kind: 'question' | 'answer'
  readonly id: number
}

/**
 * Votes for a post, or takes the vote back. One statement: the vote's row decides by its primary key whether anything
 * changes, and the counter changes with it, so that parallel requests cannot count a person twice.
 */
export async function castVote(
  db: Database,
  post: Votable,
  personId: number,
  isVoted: boolean,
): Promise<void> {
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
