import { sql } from 'kysely'
import type { Audience, Database } from '../../database/schema.ts'
import type { Actor } from '../../kernel/rights/rights.ts'
import { readableTo, shownTo } from '../../kernel/rights/visibility.ts'
import { questionPath } from '../../web/paths.ts'

interface InQuestion {
  readonly questionId: number
  readonly audience: Audience
  /** null: the question is deleted, or in a course that the person may not read any more. Of their own it is always told. */
  readonly title: string | null
}

/** What a person wrote, oldest first, with the address of the question each belongs to. */
export async function ownPosts(db: Database, person: Actor, baseUrl: string) {
  const [questions, answers, replies, announcements] = await Promise.all([
    questionsOf(db, person.id),
    answersOf(db, person),
    repliesOf(db, person),
    announcementsOf(db, person.id),
  ])
  const placed = placedAt(baseUrl)
  const posts = {
    questions: questions.map(placed),
    answers: answers.map(placed),
    replies: replies.map(placed),
  }
  return { ...posts, announcements }
}

/** What a person told courses they teach. */
function announcementsOf(db: Database, personId: number) {
  return db
    .selectFrom('announcements')
    .innerJoin('courses as course', 'course.id', 'announcements.course_id')
    .select(['course.title as course', 'announcements.title', 'announcements.body'])
    .select('announcements.published_at as publishedAt')
    .where('announcements.author_id', '=', personId)
    .orderBy('announcements.id')
    .execute()
}

/** The questions a person voted for or follows, and those whose answers they voted for. */
export async function ownVotes(db: Database, person: Actor, baseUrl: string) {
  const [questionVotes, answerVotes, follows] = await Promise.all([
    db
      .selectFrom('question_votes as vote')
      .innerJoin('questions as question', 'question.id', 'vote.question_id')
      .select([
        'question.id as questionId',
        'question.audience',
        titleFor(person),
        'vote.voted_at as votedAt',
      ])
      .where('vote.person_id', '=', person.id)
      .orderBy('vote.voted_at')
      .execute(),
    db
      .selectFrom('answer_votes as vote')
      .innerJoin('answers as answer', 'answer.id', 'vote.answer_id')
      .innerJoin('questions as question', 'question.id', 'answer.question_id')
      .select([
        'question.id as questionId',
        'question.audience',
        titleFor(person),
        'answer.id as answerId',
        'vote.voted_at as votedAt',
      ])
      .where('vote.person_id', '=', person.id)
      .orderBy('vote.voted_at')
      .execute(),
    db
      .selectFrom('question_follows as follow')
      .innerJoin('questions as question', 'question.id', 'follow.question_id')
      .leftJoin('asked_instead as asked', (join) =>
        join
          .onRef('asked.question_id', '=', 'follow.question_id')
          .onRef('asked.person_id', '=', 'follow.person_id'),
      )
      .select([
        'question.id as questionId',
        'question.audience',
        titleFor(person),
        'follow.level',
        'follow.followed_at as followedAt',
        'asked.lexemes as askedWords',
      ])
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

function questionsOf(db: Database, personId: number) {
  return db
    .selectFrom('questions as post')
    .select(['post.id as questionId', 'post.title', 'post.body'])
    .select(['post.audience', 'post.is_anonymous as isAnonymous'])
    .select(['post.written_at as writtenAt', 'post.edited_at as editedAt', 'post.deleted_at as deletedAt'])
    .where('post.author_id', '=', personId)
    .orderBy('post.id')
    .execute()
}

function answersOf(db: Database, person: Actor) {
  return db
    .selectFrom('answers as post')
    .innerJoin('questions as question', 'question.id', 'post.question_id')
    .leftJoin('left_out_texts as left', 'left.answer_id', 'post.id')
    .select(['question.id as questionId', titleFor(person), 'post.id as answerId', 'post.body'])
    .select('left.text as leftOutOfEmail')
    .select(['question.audience', 'post.is_anonymous as isAnonymous'])
    .select(['post.written_at as writtenAt', 'post.edited_at as editedAt', 'post.deleted_at as deletedAt'])
    .where('post.author_id', '=', person.id)
    .orderBy('post.id')
    .execute()
}

function repliesOf(db: Database, person: Actor) {
  return db
    .selectFrom('replies as post')
    .innerJoin('questions as question', 'question.id', 'post.question_id')
    .leftJoin('left_out_texts as left', 'left.reply_id', 'post.id')
    .select(['question.id as questionId', titleFor(person), 'post.id as replyId', 'post.body'])
    .select('left.text as leftOutOfEmail')
    .select(['question.audience', 'post.is_anonymous as isAnonymous'])
    .select(['post.written_at as writtenAt', 'post.edited_at as editedAt', 'post.deleted_at as deletedAt'])
    .where('post.author_id', '=', person.id)
    .orderBy('post.id')
    .execute()
}

/** A title is told as long as its question can be read. */
function titleFor(person: Actor) {
  return sql<string | null>`case when exists (
    select from questions as q join courses as course on course.id = q.course_id
    where q.id = question.id and ${shownTo(person, 'q')} and ${readableTo(person)})
    then question.title end`.as('title')
}

/** A row with the address of its question instead of the question's number. */
function placedAt(baseUrl: string) {
  const pathOf = (id: number, title: string | null, audience: Audience) =>
    title === null ? `/questions/${id}` : questionPath({ id, title, audience })
  return <Row extends InQuestion>({ questionId, ...row }: Row) => ({
    address: `${baseUrl}${pathOf(questionId, row.title, row.audience)}`,
    ...row,
  })
}
