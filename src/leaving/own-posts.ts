import { sql } from 'kysely'
import { visibleTo } from '../courses/visibility.ts'
import type { Database } from '../database/schema.ts'
import type { Actor } from '../rights.ts'
import { questionPath } from '../web/paths.ts'

interface InQuestion {
  readonly questionId: number
  /** null: the person may not read it (any more). */
  readonly title: string | null
}

/** What a person wrote, oldest first, with the address of the question each belongs to. */
export async function ownPosts(db: Database, person: Actor, baseUrl: string) {
  const [questions, answers, replies] = await Promise.all([
    questionsOf(db, person.id),
    answersOf(db, person),
    repliesOf(db, person),
  ])
  const placed = placedAt(baseUrl)
  return { questions: questions.map(placed), answers: answers.map(placed), replies: replies.map(placed) }
}

/** The questions a person voted for or follows, and those whose answers they voted for. */
export async function ownVotes(db: Database, person: Actor, baseUrl: string) {
  const [questionVotes, answerVotes, follows] = await Promise.all([
    inQuestions(db, person)
      .innerJoin('question_votes as vote', 'vote.question_id', 'question.id')
      .select('vote.voted_at as votedAt')
      .where('vote.person_id', '=', person.id)
      .orderBy('vote.voted_at')
      .execute(),
    inQuestions(db, person)
      .innerJoin('answers as answer', 'answer.question_id', 'question.id')
      .innerJoin('answer_votes as vote', 'vote.answer_id', 'answer.id')
      .select(['answer.id as answerId', 'vote.voted_at as votedAt'])
      .where('vote.person_id', '=', person.id)
      .orderBy('vote.voted_at')
      .execute(),
    inQuestions(db, person)
      .innerJoin('question_follows as follow', 'follow.question_id', 'question.id')
      .select('follow.followed_at as followedAt')
      .where('follow.person_id', '=', person.id)
      .orderBy('follow.followed_at')
      .execute(),
  ])
  const placed = placedAt(baseUrl)
  return {
    questionVotes: questionVotes.map(placed),
    answerVotes: answerVotes.map(placed),
    follows: follows.map(placed),
  }
}

/** Their own words, wherever they stand. */
function questionsOf(db: Database, personId: number) {
  return db
    .selectFrom('questions as post')
    .select(['post.id as questionId', 'post.title', 'post.body'])
    .select(['post.written_at as writtenAt', 'post.edited_at as editedAt', 'post.deleted_at as deletedAt'])
    .where('post.author_id', '=', personId)
    .orderBy('post.id')
    .execute()
}

function answersOf(db: Database, person: Actor) {
  return inQuestions(db, person)
    .innerJoin('answers as post', 'post.question_id', 'question.id')
    .select(['post.id as answerId', 'post.body'])
    .select(['post.written_at as writtenAt', 'post.edited_at as editedAt', 'post.deleted_at as deletedAt'])
    .where('post.author_id', '=', person.id)
    .orderBy('post.id')
    .execute()
}

function repliesOf(db: Database, person: Actor) {
  return inQuestions(db, person)
    .innerJoin('replies as post', 'post.question_id', 'question.id')
    .select(['post.id as replyId', 'post.body'])
    .select(['post.written_at as writtenAt', 'post.edited_at as editedAt', 'post.deleted_at as deletedAt'])
    .where('post.author_id', '=', person.id)
    .orderBy('post.id')
    .execute()
}

/** Questions by anybody: a title only where the person can open the question now, or wrote it. */
function inQuestions(db: Database, person: Actor) {
  const isOpen = sql`question.deleted_at is null and ${visibleTo(person)}`
  return db
    .selectFrom('questions as question')
    .innerJoin('courses as course', 'course.id', 'question.course_id')
    .select('question.id as questionId')
    .select(
      sql<
        string | null
      >`case when question.author_id = ${person.id} or (${isOpen}) then question.title end`.as('title'),
    )
}

/** A row with the address of its question instead of the question's number. */
function placedAt(baseUrl: string) {
  return <Row extends InQuestion>({ questionId, ...row }: Row) => ({
    address: `${baseUrl}${row.title === null ? `/questions/${questionId}` : questionPath({ id: questionId, title: row.title })}`,
    ...row,
  })
}
