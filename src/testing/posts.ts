import { randomBytes } from 'node:crypto'
import { setAcceptance } from '../answers/acceptance.ts'
import { postAnswer } from '../answers/post-answer.ts'
import type { Database, Status } from '../database/schema.ts'
import { askQuestion } from '../questions/commands.ts'
import { setResolution } from '../questions/resolution.ts'
import { postReply } from '../replies/commands.ts'
import { indexQueued } from '../search/queue.ts'
import { castVote, type Votable } from '../votes/commands.ts'
import { aCourse, type MadeCourse } from './courses.ts'
import { aPerson } from './people.ts'

interface PostWishes {
  readonly author?: { readonly id: number }
  readonly body?: string
  readonly writtenAt?: Date
}

export interface QuestionWishes extends PostWishes {
  readonly course?: MadeCourse
  readonly title?: string
  readonly tags?: readonly string[]
  readonly lectureId?: number
  readonly categoryId?: number
  readonly status?: Status
  /** How many people vote for it. */
  readonly votes?: number
  readonly views?: number
  /** How many answers it gets, each of another person. */
  readonly answers?: number
}

export interface MadeQuestion {
  readonly id: number
  readonly title: string
  readonly courseId: number
  readonly authorId: number
}

export interface AnswerWishes extends PostWishes {
  readonly question?: MadeQuestion
  readonly isAccepted?: boolean
  readonly votes?: number
}

export interface MadeAnswer {
  readonly id: number
  readonly authorId: number
  readonly question: MadeQuestion
}

export interface ReplyWishes extends PostWishes {
  /** What it is under; a new question's new answer when neither is given. */
  readonly answer?: MadeAnswer
  readonly question?: MadeQuestion
}

let made = 0

/** A question; its course and its author are made too unless they are given. */
export async function aQuestion(db: Database, wishes: QuestionWishes = {}): Promise<MadeQuestion> {
  made += 1
  const course = wishes.course ?? (await aCourse(db))
  const author = wishes.author ?? (await aPerson(db))
  const title = wishes.title ?? `Question ${made}: why does the client need a token?`
  const content = {
    title,
    body: wishes.body ?? 'It works without one on my machine.',
    tags: wishes.tags ?? [],
  }
  const place = { categoryId: wishes.categoryId ?? course.categoryId, lectureId: wishes.lectureId ?? null }
  const id = await db
    .transaction()
    .execute((write) =>
      askQuestion(write, { ...content, ...place, courseId: course.id, authorId: author.id }),
    )
  const question = { id, title, courseId: course.id, authorId: author.id }
  await dressQuestion(db, question, wishes)
  return question
}

/** An answer; its question and its author are made too unless they are given. */
export async function anAnswer(db: Database, wishes: AnswerWishes = {}): Promise<MadeAnswer> {
  const question = wishes.question ?? (await aQuestion(db))
  const author = wishes.author ?? (await aPerson(db))
  const body = wishes.body ?? 'The server compares it with the one in the cookie.'
  const path = await postAnswer(db, { key: randomBytes(32), personId: author.id }, question, body)
  await indexQueued(db)
  const id = Number(path.split('#answer-')[1])
  if (wishes.writtenAt !== undefined) await backdate(db, 'answers', id, wishes.writtenAt)
  await voteBy(db, { kind: 'answer', id }, wishes.votes ?? 0)
  if (wishes.isAccepted === true) await setAcceptance(db, question.id, id, true)
  return { id, authorId: author.id, question }
}

/** A reply under an answer or under a question. */
export async function aReply(
  db: Database,
  wishes: ReplyWishes = {},
): Promise<{ id: number; authorId: number }> {
  const answer = wishes.answer ?? (wishes.question === undefined ? await anAnswer(db) : null)
  const question = answer?.question ?? wishes.question ?? (await aQuestion(db))
  const author = wishes.author ?? (await aPerson(db))
  const id = await db.transaction().execute((write) =>
    postReply(write, {
      questionId: question.id,
      answerId: answer?.id ?? null,
      authorId: author.id,
      body: wishes.body ?? 'Thank you, that is what I looked for.',
    }),
  )
  await indexQueued(db)
  if (wishes.writtenAt !== undefined) await backdate(db, 'replies', id, wishes.writtenAt)
  return { id, authorId: author.id }
}

async function dressQuestion(db: Database, question: MadeQuestion, wishes: QuestionWishes): Promise<void> {
  for (let answer = 0; answer < (wishes.answers ?? 0); answer += 1) await anAnswer(db, { question })
  await voteBy(db, { kind: 'question', id: question.id }, wishes.votes ?? 0)
  if (wishes.status !== undefined) await setResolution(db, question.id, wishes.status)
  if (wishes.views !== undefined) {
    await db
      .updateTable('questions')
      .set({ views_count: wishes.views })
      .where('id', '=', question.id)
      .execute()
  }
  if (wishes.writtenAt !== undefined) {
    const times = { written_at: wishes.writtenAt, active_at: wishes.writtenAt }
    await db.updateTable('questions').set(times).where('id', '=', question.id).execute()
  }
}

async function backdate(
  db: Database,
  table: 'answers' | 'replies',
  id: number,
  writtenAt: Date,
): Promise<void> {
  await db.updateTable(table).set({ written_at: writtenAt }).where('id', '=', id).execute()
}

async function voteBy(db: Database, post: Votable, people: number): Promise<void> {
  for (let count = 0; count < people; count += 1) {
    const voter = await aPerson(db)
    await castVote(db, post, voter.id, true)
  }
}
